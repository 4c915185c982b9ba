//! The stdio transport for rmcp: lines in, lines out, every request answered once.
//!
//! Three parts. A *reader* task turns lines into typed requests, answers at once what goes no
//! further, and stops reading when too much is in flight. [`Stdio`] is what rmcp sees: its requests
//! come from the reader, its answers go to the writer. A *writer* task owns the output and writes
//! whole lines. `docs/decisions/stdio-transport.md` says why rmcp's own transport is not used.

use std::collections::HashSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
    GetExtensions as _, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::{ErrorData, RoleServer};
use serde::Serialize;
use tokio::io::AsyncWriteExt as _;
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::in_flight::InFlight;

use super::lines::{Line, Lines};
use super::pipe::Output;
use crate::envelope::{self, Junk, Lifecycle, Message, Request, WireId};
use crate::junk::JunkLog;
use crate::shutdown::Shutdown;

/// A line to write, and the slot that is free once it is written.
#[derive(Debug)]
pub(super) struct OutLine {
    bytes: Vec<u8>,
    slot: Option<OwnedSemaphorePermit>,
}

impl OutLine {
    /// A response or error as one line. `id` is JSON text.
    fn new(
        id: &str,
        member: &str,
        content: &impl Serialize,
        slot: Option<OwnedSemaphorePermit>,
    ) -> Self {
        let mut bytes = Vec::with_capacity(512);
        bytes.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        bytes.extend_from_slice(id.as_bytes());
        bytes.extend_from_slice(b",\"");
        bytes.extend_from_slice(member.as_bytes());
        bytes.extend_from_slice(b"\":");
        let start = bytes.len();
        if let Err(error) = serde_json::to_writer(&mut bytes, content) {
            // Nothing we send has keys that are no strings; should it ever happen, the client still
            // gets an answer.
            tracing::error!(%error, "an answer could not be written as JSON");
            return Self::new(
                id,
                "error",
                &ErrorData::internal_error("Internal error", None),
                slot,
            );
        }
        debug_assert!(bytes.len() > start, "something was written");
        bytes.extend_from_slice(b"}\n");
        Self { bytes, slot }
    }

    fn error(id: &WireId, error: &ErrorData) -> Self {
        Self::new(id.raw(), "error", error, None)
    }
}

/// What rmcp talks to.
#[derive(Debug)]
pub(super) struct Stdio {
    requests: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    answers: mpsc::Sender<OutLine>,
    in_flight: Arc<InFlight>,
}

impl Stdio {
    /// The transport, and the reader that feeds it.
    pub(super) fn new(lines: Lines, answers: mpsc::Sender<OutLine>) -> (Self, Reader) {
        // Room for all of them, so that the reader need not wait for each one to be taken.
        let (sender, requests) = mpsc::channel(InFlight::MOST as usize);
        let in_flight = InFlight::new();
        let reader = Reader {
            lines,
            requests: sender,
            answers: answers.clone(),
            in_flight: Arc::clone(&in_flight),
            session: false,
            stateless: false,
            junk: JunkLog::new("message dropped without an answer"),
        };
        (
            Self {
                requests,
                answers,
                in_flight,
            },
            reader,
        )
    }

    fn line(&self, message: TxJsonRpcMessage<RoleServer>) -> Option<OutLine> {
        let (id, line): (RequestId, _) = match &message {
            JsonRpcMessage::Response(response) => (response.id.clone(), Ok(&response.result)),
            JsonRpcMessage::Error(error) => (error.id.clone()?, Err(&error.error)),
            // The server asks nothing of its client and notifies it of nothing.
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => return None,
        };
        let RequestId::Number(number) = id else {
            return None;
        };
        let answerable = self.in_flight.answer(number)?;
        let (id, slot) = (answerable.id.raw(), Some(answerable.slot));
        Some(match line {
            Ok(result) => OutLine::new(id, "result", result, slot),
            Err(error) => OutLine::new(id, "error", error, slot),
        })
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = Infallible;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Infallible>> + Send + 'static {
        // Handed over at once where there is room, so that it is written while rmcp still tidies up.
        let late = self.line(message).and_then(|line| {
            let full = self.answers.try_send(line).err()?;
            Some((self.answers.clone(), full.into_inner()))
        });
        async move {
            if let Some((answers, line)) = late {
                // The writer has gone when the client has; then nobody waits for this.
                let _ = answers.send(line).await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        self.requests.recv().await
    }

    async fn close(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// The reading side.
pub(super) struct Reader {
    lines: Lines,
    requests: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    answers: mpsc::Sender<OutLine>,
    in_flight: Arc<InFlight>,
    /// A handshake or a self-contained request has come.
    session: bool,
    /// The session began with a self-contained request, so that no handshake can begin another.
    stateless: bool,
    junk: JunkLog,
}

impl Reader {
    /// Reads until the input ends, the client stops reading, or an end is asked for, then waits until
    /// nothing is in flight, but no longer than `patience`. rmcp learns of the end only after that,
    /// because it gives calls five seconds at the end.
    pub(super) async fn run(mut self, shutdown: Shutdown, patience: Duration) {
        let answers = self.answers.clone();
        tokio::select! {
            end = self.read_all() => tracing::debug!(?end, "reading ended"),
            () = answers.closed() => {}
            () = shutdown.asked() => {}
        }
        drop(answers);
        if tokio::time::timeout(patience, self.in_flight.idle())
            .await
            .is_err()
        {
            tracing::warn!("the client does not read its answers");
        }
    }

    async fn read_all(&mut self) -> End {
        loop {
            let step = match self.lines.next().await {
                Ok(None) => return End::OfInput,
                Err(error) => {
                    tracing::warn!(%error, "input failed");
                    return End::OfInput;
                }
                Ok(Some(Line::Whole(bytes))) => {
                    let length = bytes.len();
                    match envelope::read(bytes) {
                        None => Step::Nothing,
                        Some(message) => step(message, length, self.session),
                    }
                }
                Ok(Some(Line::TooLong(prefix))) => match envelope::id_of_prefix(prefix) {
                    Some(id) => Step::answer(&id, &too_long()),
                    None => Step::Junk(Junk::TooLong, prefix.len()),
                },
            };
            let taken = match step {
                Step::Nothing => true,
                Step::Junk(junk, bytes) => {
                    self.junk.record(junk, bytes);
                    true
                }
                Step::Answer(line) => self.answer(line).await,
                Step::Batch(ids) => self.refuse_batch(ids).await,
                Step::Cancel(id) => self.cancel(&id).await,
                Step::Start { id, request, bytes } => self.start(id, *request, bytes).await,
            };
            if !taken {
                return End::OfSession;
            }
        }
    }

    // Each of these says whether somebody was there to take the message.

    async fn answer(&self, line: OutLine) -> bool {
        self.answers.send(line).await.is_ok()
    }

    async fn refuse_batch(&self, ids: HashSet<WireId>) -> bool {
        let error = ErrorData::invalid_request(
            "Invalid request: batches are not supported; nothing in it was executed",
            None,
        );
        for id in ids {
            if !self.answer(OutLine::error(&id, &error)).await {
                return false;
            }
        }
        true
    }

    async fn start(&mut self, id: WireId, mut request: ClientRequest, bytes: usize) -> bool {
        let lifecycle = envelope::lifecycle(&request);
        if lifecycle == Lifecycle::Handshake && self.stateless {
            let error = ErrorData::invalid_request(
                "Invalid request: this connection is in use by self-contained requests (revision 2026-07-28); start the server again for a handshake",
                None,
            );
            return self.answer(OutLine::error(&id, &error)).await;
        }
        let Some((number, handling)) = self.in_flight.begin(id.clone(), bytes).await else {
            let error = ErrorData::invalid_request(
                "Invalid request: the id belongs to a request that is still in flight",
                None,
            );
            return self.answer(OutLine::error(&id, &error)).await;
        };
        request.extensions_mut().insert(handling);
        request.extensions_mut().insert(id);
        let self_contained = lifecycle == Lifecycle::SelfContained;
        self.stateless |= self_contained && !self.session;
        self.session |= self_contained || lifecycle == Lifecycle::Handshake;
        let message = JsonRpcMessage::request(request, RequestId::Number(number));
        let Ok(place) = self.requests.reserve().await else {
            return false;
        };
        self.in_flight.delivered(number);
        place.send(message);
        true
    }

    async fn cancel(&mut self, id: &WireId) -> bool {
        // Before a session rmcp takes any notification for the end of the client.
        let Some(number) = self.session.then(|| self.in_flight.cancel(id)).flatten() else {
            tracing::debug!("cancellation of a request that is not in flight");
            return true;
        };
        let params = CancelledNotificationParam::new(Some(RequestId::Number(number)), None);
        let notification =
            ClientNotification::CancelledNotification(CancelledNotification::new(params));
        self.requests
            .send(JsonRpcMessage::notification(notification))
            .await
            .is_ok()
    }
}

/// Why reading ended.
#[derive(Debug)]
enum End {
    OfInput,
    OfSession,
}

/// What to do about one message. Owns what it needs, so that the line's room is free again.
enum Step {
    Nothing,
    Junk(Junk, usize),
    Answer(OutLine),
    Batch(HashSet<WireId>),
    Cancel(WireId),
    Start {
        id: WireId,
        request: Box<ClientRequest>,
        bytes: usize,
    },
}

impl Step {
    fn answer(id: &WireId, error: &ErrorData) -> Self {
        Self::Answer(OutLine::error(id, error))
    }
}

fn step(message: Message<'_>, bytes: usize, session: bool) -> Step {
    match message {
        Message::Junk(junk) => Step::Junk(junk, bytes),
        Message::Refused(id, error) => Step::answer(&id, &error),
        Message::Batch(ids) => Step::Batch(ids),
        Message::Cancelled(id) => Step::Cancel(id),
        Message::Notification(method) if session && method.starts_with("notifications/") => {
            Step::Nothing
        }
        Message::Notification(_) => Step::Junk(Junk::Notification, bytes),
        Message::Request(request) => match begin(&request, session) {
            Ok(typed) => Step::Start {
                id: request.id,
                request: Box::new(typed),
                bytes,
            },
            Err(error) => Step::answer(&request.id, &error),
        },
    }
}

fn begin(request: &Request<'_>, session: bool) -> Result<ClientRequest, ErrorData> {
    let typed = envelope::typed(request)?;
    let needs_session = envelope::lifecycle(&typed) == Lifecycle::InSession
        && !matches!(typed, ClientRequest::PingRequest(_));
    if needs_session && !session {
        return Err(ErrorData::invalid_request(
            "Not initialized: send \"initialize\" first, or name the protocol version and the client's capabilities in the request's _meta (revision 2026-07-28)",
            None,
        ));
    }
    Ok(typed)
}

fn too_long() -> ErrorData {
    ErrorData::invalid_request(
        format!(
            "Invalid request: a message may have at most {} bytes",
            super::MOST_BYTES
        ),
        None,
    )
}

/// Writes lines until there are no more senders or the client has gone. Lines that wait are written
/// together.
pub(super) async fn write_lines(mut output: Output, mut lines: mpsc::Receiver<OutLine>) {
    const TOGETHER: usize = 64 * 1024;
    let mut batch = Vec::new();
    let mut slots = Vec::new();
    while let Some(OutLine { mut bytes, slot }) = lines.recv().await {
        batch.append(&mut bytes);
        slots.extend(slot);
        // Whoever is about to answer does so first, and goes out with the same write.
        tokio::task::yield_now().await;
        while batch.len() < TOGETHER {
            let Ok(OutLine { mut bytes, slot }) = lines.try_recv() else {
                break;
            };
            batch.append(&mut bytes);
            slots.extend(slot);
        }
        let written = async {
            output.write_all(&batch).await?;
            output.flush().await
        };
        if let Err(error) = written.await {
            tracing::info!(%error, "the client no longer reads");
            return;
        }
        batch.clear();
        batch.shrink_to(TOGETHER);
        slots.clear();
    }
}
