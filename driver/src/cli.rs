//! The command line: reads a plan, prepares the run, runs it.

use std::fmt::{Display, Write as _};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Parser, Subcommand, ValueEnum};
use sha2::{Digest, Sha256};

use middlemark_driver::connect::{Target, open_files, source};
use middlemark_driver::get::{self, live::LiveLine};
use middlemark_driver::measure::failure;
use middlemark_driver::merge::{self, MergeError};
use middlemark_driver::output::hlog::{self, HlogError};
use middlemark_driver::output::reporter::Hashes;
use middlemark_driver::pace::{StopSwitch, lease, slices, stop};
use middlemark_driver::run::{self, Ending, PreparedRun, RunError};
use middlemark_driver::workload::{Plan, Session, share};

/// Exit status for wrong input.
const WRONG_INPUT: u8 = 2;

/// Runs one session with many virtual users and reports what it saw.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a plan; writes NDJSON to stdout.
    Run {
        /// The plan file (docs/reference/driver.md).
        plan: PathBuf,
        /// What ends the run when it ends.
        #[arg(long)]
        lease: Option<Pipe>,
        /// What lets the users work and holds them, by lines `go` and `hold`; its end ends the run.
        #[arg(long, conflicts_with = "lease")]
        slices: Option<Pipe>,
    },
    /// Puts one address under load and prints what came of it.
    Get(get::Options),
    /// Writes the lines of drivers that shared a load as those of one driver to stdout; records are not merged.
    Merge {
        /// The lines that `run` wrote, one file for each driver.
        #[arg(required = true, num_args = 2..)]
        lines: Vec<PathBuf>,
    },
    /// Writes the measured window of a run as an HDR histogram log to stdout.
    Hlog {
        /// The lines that `run` wrote.
        lines: PathBuf,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pipe {
    /// Stdin. Without a lease or slices it is never read.
    Stdin,
}

impl Cli {
    /// Does what the command says.
    ///
    /// # Errors
    /// When the driver itself cannot work.
    pub fn execute(self) -> Result<ExitCode> {
        match self.command {
            Command::Run { plan, lease, slices } => run(&plan, lease, slices),
            Command::Get(options) => get(&options),
            Command::Merge { lines } => Ok(write_merged(&lines)),
            Command::Hlog { lines } => Ok(write_hlog(&lines)),
        }
    }
}

fn run(path: &Path, lease: Option<Pipe>, slices: Option<Pipe>) -> Result<ExitCode> {
    let text = fs::read(path).context("cannot be read");
    let prepared = text.and_then(|text| prepare(&text)).and_then(|prepared| match slices {
        Some(Pipe::Stdin) => may_have_slices(prepared),
        None => Ok(prepared),
    });
    let mut prepared = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return Ok(wrong_input(path.display(), &error)),
    };
    let switch = StopSwitch::new();
    switch.press_on_signals().context("signals cannot be caught")?;
    if let Some(Pipe::Stdin) = lease {
        lease::watch(io::stdin(), switch.clone()).context("stdin cannot be watched")?;
    }
    if let Some(Pipe::Stdin) = slices {
        let commands = slices::watch(io::stdin(), switch.clone());
        prepared.slices = Some(commands.context("stdin cannot be watched")?);
    }
    let mut out = Output::default();
    match run::run(prepared, &mut out, &switch) {
        Err(RunError::Start(error)) => Ok(wrong_input(path.display(), &error.into())),
        ending => Ok(out.status(status(ending?))),
    }
}

fn may_have_slices(prepared: PreparedRun) -> Result<PreparedRun> {
    if prepared.session.is_open() {
        bail!("load: the arrivals of the open model cannot be held; slices need users");
    }
    if prepared.session.threads.get() > 1 {
        bail!("threads: a run with slices has one event loop; write 1");
    }
    Ok(prepared)
}

fn get(options: &get::Options) -> Result<ExitCode> {
    let prepared = match prepare(options.plan().to_string().as_bytes()) {
        Ok(prepared) => prepared,
        Err(error) => return Ok(wrong_input("get", &error)),
    };
    let switch = StopSwitch::new();
    switch.press_on_signals().context("signals cannot be caught")?;
    let (summary, ending) = get::run(options, prepared, &switch, LiveLine::on_terminal())?;
    let text = if options.json { serde_json::to_string(&summary)? + "\n" } else { summary.to_string() };
    let mut out = Output::default();
    // It remembers a failure.
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    Ok(out.status(status(ending)))
}

fn write_hlog(path: &Path) -> ExitCode {
    let mut out = Output::default();
    let file = File::open(path).map_err(HlogError::from);
    match file.and_then(|file| hlog::convert(BufReader::new(file), &mut out)) {
        Err(error) if out.0.is_none() => wrong_input(path.display(), &error.into()),
        _ => out.status(ExitCode::SUCCESS),
    }
}

fn write_merged(paths: &[PathBuf]) -> ExitCode {
    let mut out = Output::default();
    match merge::merge(paths, BufWriter::new(&mut out)) {
        Err(error) if !matches!(error, MergeError::ReaderGone) => wrong_input("merge", &error.into()),
        _ => out.status(ExitCode::SUCCESS),
    }
}

fn wrong_input(place: impl Display, error: &anyhow::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "{place}: {error:#}");
    ExitCode::from(WRONG_INPUT)
}

/// Stdout, which remembers why it takes nothing more.
#[derive(Debug, Default)]
struct Output(Option<(ErrorKind, String)>);

impl Output {
    /// The exit status of a command that ends with `status` if all that it wrote was taken.
    fn status(&self, status: ExitCode) -> ExitCode {
        match &self.0 {
            None => status,
            Some((ErrorKind::BrokenPipe, _)) => ExitCode::from(stop::ENDED_EARLY),
            Some((_, problem)) => {
                let _ = writeln!(io::stderr(), "stdout cannot be written: {problem}; is the disk full?");
                ExitCode::FAILURE
            }
        }
    }

    fn remember<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| self.0 = Some((error.kind(), error.to_string())))
    }
}

impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.remember(io::stdout().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.remember(io::stdout().flush())
    }
}

fn status(ending: Ending) -> ExitCode {
    match ending {
        Ending::Finished => ExitCode::SUCCESS,
        Ending::Stopped(_) | Ending::ReaderGone => ExitCode::from(stop::ENDED_EARLY),
    }
}

fn prepare(text: &[u8]) -> Result<PreparedRun> {
    let plan = Plan::read(text)?;
    let targets = Target::resolve_all(plan.addresses(), &plan.tls)?;
    let session = Session::new(plan)?;
    failure::check_outcomes(&session.outcomes)?;
    source::check(&session.transport.sources, &targets)?;
    let slots = session.sub_resources.map_or(1, |fetched| fetched.connections as u64);
    let connections = slots * session.transport.max_connections(&session.targets);
    open_files::reserve(session.own_users().saturating_mul(connections))?;
    let records = session.records.as_ref().map(|path| {
        let place = || {
            format!("records: {} cannot be written; name a file in a folder that is there", path.display())
        };
        File::create(path).with_context(place)
    });
    let hashes =
        Hashes { plan_sha256: hexadecimal(&Sha256::digest(text)), load_sha256: load(text, &session) };
    Ok(PreparedRun { records: records.transpose()?, session, targets, hashes, slices: None })
}

/// The hash of a load: of the plan without what is one driver's own, and of what its files hold.
fn load(plan: &[u8], session: &Session) -> String {
    let mut hash = Sha256::new_with_prefix(share::load_of(plan));
    for content in session.contents() {
        hash.update(Sha256::digest(content));
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut hexadecimal = String::new();
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(hexadecimal, "{byte:02x}");
    }
    hexadecimal
}
