//! Templates: texts with `${name}` in them.

use super::encoding::Encoding;
use super::variables::{Names, Variable, Variables};

/// A text into which values are put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Value(Variable),
    /// A value that stands in a path as it is.
    Path(Variable),
}

impl Template {
    /// Reads a template whose values are all among `names`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(text: &str, names: &Names) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("${") {
            if let Some(before) = rest[..start].strip_suffix('$') {
                literal.push_str(before);
                literal.push_str("${");
                rest = &rest[start + 2..];
                continue;
            }
            literal.push_str(&rest[..start]);
            let (name, after) = rest[start + 2..]
                .split_once('}')
                .ok_or_else(|| format!("`${{` without `}}` in `{text}`; a plain `${{` is written `$${{`"))?;
            let variable = names.find(name).ok_or_else(|| {
                format!("`${{{name}}}` is neither a feed nor captured by an earlier step that always runs")
            })?;
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            parts.push(if names.is_path(variable) { Part::Path(variable) } else { Part::Value(variable) });
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        Ok(Self(parts))
    }

    /// Writes the text with its values to the end of `out`; `encoding` holds for the values.
    pub fn write(&self, values: &Variables, encoding: Encoding, out: &mut Vec<u8>) {
        for part in &self.0 {
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Path(variable) if encoding == Encoding::Percent => {
                    out.extend_from_slice(values.get(*variable).as_bytes());
                }
                Part::Value(variable) | Part::Path(variable) => encoding.write(values.get(*variable), out),
            }
        }
    }

    /// The same template with its own text encoded too.
    #[must_use]
    pub fn with_text_encoded(self, encoding: Encoding) -> Self {
        let encode = |part| match part {
            Part::Text(text) => {
                let mut out = Vec::new();
                encoding.write(&text, &mut out);
                Part::Text(String::from_utf8_lossy(&out).into_owned())
            }
            value => value,
        };
        Self(self.0.into_iter().map(encode).collect())
    }

    /// The variables in it.
    pub fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.0.iter().filter_map(|part| match part {
            Part::Value(variable) | Part::Path(variable) => Some(*variable),
            Part::Text(_) => None,
        })
    }

    /// The text around the values.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Value(_) | Part::Path(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> Result<String, String> {
        let mut names = Names::default();
        let uid = names.declare("uid", true);
        let mut values = names.values();
        values.renew(uid).push_str("a b");
        let mut out = Vec::new();
        Template::read(text, &names)?.write(&values, Encoding::Percent, &mut out);
        Ok(String::from_utf8(out).expect("text"))
    }

    #[test]
    fn values_are_inserted_and_encoded() {
        assert_eq!(written("/x?u=${uid}&v=${uid}!").unwrap(), "/x?u=a%20b&v=a%20b!");
        assert_eq!(written("").unwrap(), "");
    }

    #[test]
    fn a_doubled_dollar_stands_for_itself() {
        assert_eq!(written("$${uid} $5 $$ ${uid}").unwrap(), "${uid} $5 $$ a%20b");
    }

    #[test]
    fn an_undefined_name_and_an_open_brace_are_errors() {
        assert!(written("${who}").unwrap_err().contains("${who}"));
        assert!(written("${uid").unwrap_err().contains("without"));
    }
}
