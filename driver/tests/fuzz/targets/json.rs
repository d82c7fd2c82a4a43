//! JSON pointers: the pointer on the first line, then the text.

use middlemark_driver::workload::json_pointer::JsonPointer;
use serde_json::Value;

use super::first_line;

/// Any pointer into any text finds what a tree would hold.
pub fn hold(bytes: &[u8]) {
    let (pointer, text) = first_line(bytes);
    let Ok(pointer) = std::str::from_utf8(pointer) else { return };
    let Ok(read) = JsonPointer::read(pointer) else {
        assert!(!pointer.is_empty() && !pointer.starts_with('/'));
        return;
    };
    let mut out = String::new();
    let found = read.find(text, &mut out);
    assert!(found || out.is_empty());
    // A tree is refused for what lies beside the way too.
    let Ok(tree) = serde_json::from_slice::<Value>(text) else { return };
    let expected = match tree.pointer(pointer) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(scalar @ (Value::Number(_) | Value::Bool(_))) => Some(scalar.to_string()),
        _ => None,
    };
    assert_eq!(found.then_some(out), expected);
}
