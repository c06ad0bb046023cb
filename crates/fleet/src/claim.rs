//! Whose fleet it is: one trainer at a time has the entry of the trainer, which it renews.

use async_nats::jetstream::kv::{Entry, Operation, UpdateErrorKind};

use crate::error::Trouble;
use crate::layout::TRAINER;
use crate::link::Link;
use crate::message::{TrainerCard, read, write};

/// The claim of a trainer to a fleet.
pub struct Claim {
    /// The entry that this trainer wrote last.
    revision: u64,
    /// Another trainer that was seen in its place: seen twice, it is no damaged message.
    stranger: Option<u64>,
}

/// Who has the fleet, if somebody is there.
pub async fn holder(link: &Link) -> Result<Option<TrainerCard>, Trouble> {
    Ok(link.presence().await?.entry(TRAINER).await?.and_then(|entry| card(&entry)))
}

fn card(entry: &Entry) -> Option<TrainerCard> {
    Some(entry).filter(|entry| entry.operation == Operation::Put).and_then(|entry| read(&entry.value))
}

impl Claim {
    /// Claims the fleet. None if another trainer comes at the same moment.
    pub async fn make(link: &Link, own: &TrainerCard) -> Result<Option<Claim>, Trouble> {
        let presence = link.presence().await?;
        let revision = presence.entry(TRAINER).await?.map_or(0, |entry| entry.revision);
        match presence.update(TRAINER, write(own).into(), revision).await {
            Ok(revision) => Ok(Some(Claim { revision, stranger: None })),
            Err(why) if why.kind() == UpdateErrorKind::WrongLastRevision => Ok(None),
            Err(why) => Err(why.into()),
        }
    }

    /// Says that the trainer still is there. Returns another one that has the fleet by now.
    pub async fn renew(&mut self, link: &Link, own: &TrainerCard) -> Result<Option<TrainerCard>, Trouble> {
        let presence = link.presence().await?;
        match presence.update(TRAINER, write(own).into(), self.revision).await {
            Ok(revision) => {
                (self.revision, self.stranger) = (revision, None);
                return Ok(None);
            }
            Err(why) if why.kind() == UpdateErrorKind::WrongLastRevision => {}
            Err(why) => return Err(why.into()),
        }
        let entry = presence.entry(TRAINER).await?;
        let other = entry.as_ref().and_then(card).filter(|card| card.instance != own.instance);
        match other {
            Some(card) if self.stranger == Some(card.instance) => return Ok(Some(card)),
            Some(card) => self.stranger = Some(card.instance),
            // Its own entry, whose answer was lost, or none: it had been away for too long, or the server has lost it.
            None => self.revision = entry.map_or(0, |entry| entry.revision),
        }
        Ok(None)
    }

    /// Lets another run have the fleet at once.
    pub async fn give_up(&self, link: &Link) -> Result<(), Trouble> {
        Ok(link.presence().await?.delete_expect_revision(TRAINER, Some(self.revision)).await?)
    }
}
