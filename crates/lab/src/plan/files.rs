//! Files that a plan names, relative to the plan.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The largest file that is read \[bytes\]: a mistyped name should not fill the memory.
const LARGEST: u64 = 256 << 20;

/// Contents of a file, or the error.
type Text = Result<Rc<str>, String>;

/// Contents of files, read once for all points of a sweep.
#[derive(Clone, Debug, Default)]
pub(super) struct Files {
    base: PathBuf,
    read: Rc<RefCell<HashMap<String, Text>>>,
}

impl Files {
    /// Beside the plan that came from `origin`.
    pub fn beside(origin: impl AsRef<Path>) -> Self {
        let base = origin.as_ref().parent().unwrap_or(Path::new(""));
        Self {
            base: base.to_path_buf(),
            read: Rc::default(),
        }
    }

    /// The text of a file, or why there is none, with its name as the plan has it.
    pub fn text(&self, name: &str) -> Text {
        if let Some(known) = self.read.borrow().get(name) {
            return known.clone();
        }
        let path = self.base.join(name);
        let text = load(&path)
            .map_err(|why| format!("{name:?} cannot be read: {why} ({})", path.display()));
        self.read
            .borrow_mut()
            .insert(name.to_string(), text.clone());
        text
    }
}

fn load(path: &Path) -> Text {
    let told = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_string(),
        _ => error.to_string(),
    };
    let about = std::fs::metadata(path).map_err(told)?;
    if !about.is_file() {
        return Err("not a file".into());
    }
    if about.len() > LARGEST {
        return Err(format!("larger than {} MiB", LARGEST >> 20));
    }
    let bytes = std::fs::read(path).map_err(told)?;
    let text = String::from_utf8(bytes).map_err(|_| "not a text in UTF-8".to_string())?;
    Ok(text.into())
}
