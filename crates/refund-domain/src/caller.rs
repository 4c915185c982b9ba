//! Who asks, and what they may do.

use crate::{CustomerId, Principal};

/// Who asks, as the audit trail records it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// The owner of the idempotency keys.
    pub principal: Principal,
    /// What the principal may do.
    pub role: Role,
    /// The only customer that exists for this caller; `None` where all of them do. Every decision
    /// keeps to it, and [`crate::ports::Scoped`] keeps what is read to it.
    pub customer: Option<CustomerId>,
}

impl Caller {
    /// A caller for whom every customer exists.
    #[must_use]
    pub fn new(principal: Principal, role: Role) -> Self {
        Self {
            principal,
            role,
            customer: None,
        }
    }

    /// Whether this customer exists for the caller.
    #[must_use]
    pub fn sees(&self, customer: CustomerId) -> bool {
        self.customer.is_none_or(|only| only == customer)
    }
}

/// What a principal may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Read tools only.
    Viewer,
    /// Read and write tools.
    Agent,
    /// Decides on what others asked for, and asks for nothing itself.
    Approver,
    /// Everything.
    Admin,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Viewer, Self::Agent, Self::Approver, Self::Admin];

    /// The word in configuration and in the audit trail.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Agent => "agent",
            Self::Approver => "approver",
            Self::Admin => "admin",
        }
    }

    /// Whether the role may use what changes anything.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(self, Self::Agent | Self::Admin)
    }

    /// The role of a word; `None` for any other word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}
