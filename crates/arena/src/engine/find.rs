//! Finding a program.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Where Debian and others put engines, which is often not in PATH.
const GAMES: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// The program and the arguments of a command: the path of a program, which may contain blanks, or a name or path with arguments
/// separated by blanks.
pub(super) fn parse(command: &str) -> io::Result<(PathBuf, Vec<&str>)> {
    if Path::new(command).is_file() {
        return Ok((PathBuf::from(command), Vec::new()));
    }
    let mut words = command.split_whitespace();
    Ok((find(words.next().unwrap_or_default())?, words.collect()))
}

/// Checks that there is such a program, and that it may be executed. Does not start it.
pub(crate) fn check(command: &str) -> io::Result<()> {
    let (program, _) = parse(command)?;
    let kind = match program.metadata()? {
        _ if is_executable(&program) => return Ok(()),
        file if file.is_file() => io::ErrorKind::PermissionDenied,
        _ => io::ErrorKind::IsADirectory,
    };
    Err(kind.into())
}

/// The path of a program. One that is named without a folder is looked up in the folders of PATH, and then in those for games.
fn find(program: &str) -> io::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    find_in(program, std::env::split_paths(OsStr::new(&path)).chain(GAMES.map(PathBuf::from)))
}

fn find_in(program: &str, mut folders: impl Iterator<Item = PathBuf>) -> io::Result<PathBuf> {
    if Path::new(program).components().count() != 1 || program.contains(std::path::is_separator) {
        return Ok(PathBuf::from(program));
    }
    let name = if program.ends_with(std::env::consts::EXE_SUFFIX) {
        program.to_owned()
    } else {
        format!("{program}{}", std::env::consts::EXE_SUFFIX)
    };
    let found = folders.find_map(|folder| Some(folder.join(&name)).filter(|path| is_executable(path)));
    found.ok_or_else(|| {
        let why = format!("there is no program '{program}' in PATH, {} or {}", GAMES[0], GAMES[1]);
        io::Error::new(io::ErrorKind::NotFound, why)
    })
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;

    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_bare_name_is_looked_up_and_a_path_is_not() {
        let folder = std::env::temp_dir().join(format!("alfil-find-{}", std::process::id()));
        let [first, second] = ["first", "second"].map(|name| folder.join(name));
        for folder in [&first, &second] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("engine"), "").unwrap();
        }
        let look = |program: &str| find_in(program, [folder.join("none"), first.clone(), second.clone()].into_iter());
        let allow = |folder: &Path| {
            std::fs::set_permissions(folder.join("engine"), std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        let complaint = look("engine").unwrap_err().to_string();
        assert_eq!(complaint, "there is no program 'engine' in PATH, /usr/games or /usr/local/games");
        allow(&second);
        assert_eq!(look("engine").unwrap(), second.join("engine"), "the first one cannot be executed");
        allow(&first);
        assert_eq!(look("engine").unwrap(), first.join("engine"));
        assert_eq!(look("./engine").unwrap(), Path::new("./engine"));
        assert_eq!(look("/no/such").unwrap(), Path::new("/no/such"));
        assert!(look("first").is_err(), "a folder is not a program");
        let whole = folder.join("with blanks");
        std::fs::copy(first.join("engine"), &whole).unwrap();
        assert_eq!(parse(whole.to_str().unwrap()).unwrap(), (whole.clone(), Vec::new()));
        assert_eq!(parse("/no/such  a b").unwrap(), (PathBuf::from("/no/such"), vec!["a", "b"]));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
