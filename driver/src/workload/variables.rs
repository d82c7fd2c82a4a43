//! Values of feeds and captures, one set for each user.

/// Names one variable of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variable(usize);

/// The names of a session's variables, in the order in which they were declared.
#[derive(Debug, Default)]
pub struct Names(Vec<Name>);

#[derive(Debug)]
struct Name {
    text: String,
    /// False for what only a step that may be left out captures: nobody may rely on it.
    certain: bool,
    /// Whether its values stand in paths as they are.
    is_path: bool,
}

/// Which names had a value for certain at some place of the session.
#[derive(Clone, Debug)]
pub struct Scope(Vec<bool>);

/// The values of one user.
#[derive(Clone, Debug)]
pub struct Variables(Vec<String>);

impl Names {
    /// The variable of this name, if it always has a value.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<Variable> {
        self.0.iter().position(|known| known.certain && known.text == name).map(Variable)
    }

    /// The variable of this name, declared if it is new. Once `certain`, it stays so.
    pub fn declare(&mut self, name: &str, certain: bool) -> Variable {
        let known = self.0.iter().position(|known| known.text == name);
        let index = known.unwrap_or_else(|| {
            self.0.push(Name { text: name.into(), certain, is_path: false });
            self.0.len() - 1
        });
        self.0[index].certain |= certain;
        Variable(index)
    }

    /// Lets the values of a variable stand in paths as they are.
    pub fn keep_as_path(&mut self, variable: Variable) {
        self.0[variable.0].is_path = true;
    }

    /// Whether the values of a variable stand in paths as they are.
    #[must_use]
    pub fn is_path(&self, variable: Variable) -> bool {
        self.0[variable.0].is_path
    }

    /// The names that have a value for certain.
    #[must_use]
    pub fn scope(&self) -> Scope {
        Scope(self.0.iter().map(|name| name.certain).collect())
    }

    /// Only the names of `scope` have a value for certain from here on.
    pub fn leave(&mut self, scope: &Scope) {
        let before = scope.0.iter().copied().chain(std::iter::repeat(false));
        for (name, certain) in self.0.iter_mut().zip(before) {
            name.certain = certain;
        }
    }

    /// The name of a variable.
    #[must_use]
    pub fn name(&self, variable: Variable) -> &str {
        &self.0[variable.0].text
    }

    /// Empty values for all of them.
    #[must_use]
    pub fn values(&self) -> Variables {
        Variables(vec![String::new(); self.0.len()])
    }
}

impl Variables {
    /// The value of a variable.
    #[must_use]
    pub fn get(&self, variable: Variable) -> &str {
        &self.0[variable.0]
    }

    /// The value of a variable, emptied; its memory is used again.
    pub fn renew(&mut self, variable: Variable) -> &mut String {
        let value = &mut self.0[variable.0];
        value.clear();
        value
    }
}
