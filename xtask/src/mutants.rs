//! `cargo xtask mutants`: takes away, one at a time, the four things that keep money safe, in a copy
//! of the sources, and holds that a test notices each.

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::metadata::workspace;
use crate::say;
use crate::sh::{Failure, Run, context, read, root};

/// An edit that a test must notice.
struct Mutant {
    /// What it takes away.
    what: &'static str,
    file: &'static str,
    /// Stands in the file exactly once.
    from: &'static str,
    to: &'static str,
    /// The quickest test that must fail, as words for cargo.
    test: &'static str,
}

const DOMAIN: &str = "test --package refund-domain --lib";

const MUTANTS: [Mutant; 4] = [
    Mutant {
        what: "the balance is not looked at",
        file: "crates/refund-domain/src/refund.rs",
        from: "match balance.checked_sub(amount) {",
        to: "match balance.checked_sub(amount).or(Ok::<_, ()>(balance)) {",
        test: DOMAIN,
    },
    Mutant {
        what: "the key is not looked at",
        file: "crates/refund-domain/src/refund.rs",
        from: "= (&request.idempotency_key, &facts.key_use) {",
        to: "= (&request.idempotency_key, &None::<KeyUse>) {",
        test: DOMAIN,
    },
    Mutant {
        what: "a commit is answered before it is on the disk",
        file: "crates/refund-store/src/sqlite/connection.rs",
        from: "Durability::Full => \"PRAGMA synchronous = FULL;\"",
        to: "Durability::Full => \"PRAGMA synchronous = OFF;\"",
        test: "test --package refund-store --lib",
    },
    Mutant {
        what: "the facts are read before the write lock is taken",
        file: "crates/refund-store/src/sqlite/batch.rs",
        from: "execute_batch(\"BEGIN IMMEDIATE\")",
        to: "execute_batch(\"BEGIN\")",
        test: "test --package refund-store --test suite locks::",
    },
];

/// `cargo xtask mutants`.
pub(crate) fn command(_: &[String]) -> Result<(), Failure> {
    let directory = workspace()?.target.join("mutants");
    let tree = directory.join("tree");
    copy(&tree)?;
    let run = |words: &str| {
        Run::cargo(words).directory(&tree).env(
            "CARGO_TARGET_DIR",
            &directory.join("target").display().to_string(),
        )
    };
    let mut tests: Vec<&str> = MUTANTS.iter().map(|mutant| mutant.test).collect();
    tests.dedup();
    for test in tests {
        say::line(format!("--- without a mutant: cargo {test}"));
        run(&format!("{test} --quiet")).check()?;
    }
    let mut survived = Vec::new();
    for mutant in &MUTANTS {
        let start = Instant::now();
        let path = tree.join(mutant.file);
        let original = read(&path)?;
        write(&path, &mutated(mutant, &original)?)?;
        // A mutant that does not compile proves nothing.
        run(&format!("{} --quiet --no-run", mutant.test)).check()?;
        let passed = run(&format!("{} --quiet", mutant.test)).probe().is_some();
        write(&path, &original)?;
        say::line(format!(
            "{} {} ({:.1} s; cargo {})",
            if passed { "SURVIVED" } else { "caught  " },
            mutant.what,
            start.elapsed().as_secs_f64(),
            mutant.test,
        ));
        if passed {
            survived.push(mutant.what);
        }
    }
    if survived.is_empty() {
        say::line(format!("{} mutants, all caught", MUTANTS.len()));
        Ok(())
    } else {
        Err(Failure::new(format!(
            "no test noticed: {}",
            survived.join("; ")
        )))
    }
}

fn mutated(mutant: &Mutant, original: &str) -> Result<String, Failure> {
    match original.matches(mutant.from).count() {
        1 => Ok(original.replace(mutant.from, mutant.to)),
        count => Err(Failure::new(format!(
            "{}: `{}` stands there {count} times; xtask/src/mutants.rs must follow the code",
            mutant.file, mutant.from
        ))),
    }
}

/// Every file that git knows or would know, as it is now, in a new directory.
fn copy(tree: &Path) -> Result<(), Failure> {
    if tree.exists() {
        std::fs::remove_dir_all(tree).map_err(context("remove", tree))?;
    }
    let words = [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ];
    let files = Run::new("git", words).stdout()?;
    for name in files.split_terminator('\0') {
        let from: PathBuf = root().join(name);
        if !from.is_file() {
            // Deleted, and not yet committed.
            continue;
        }
        let to = tree.join(name);
        let directory = to.parent().unwrap_or(tree);
        std::fs::create_dir_all(directory).map_err(context("create", directory))?;
        std::fs::copy(&from, &to).map_err(context("copy", &from))?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(context("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_fits_the_code() {
        for mutant in &MUTANTS {
            let original = read(&root().join(mutant.file)).unwrap();
            assert_ne!(mutated(mutant, &original).unwrap(), original);
        }
    }
}
