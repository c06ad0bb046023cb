//! A connection, and what is done over it.

use std::time::{Duration, Instant};

use alfil_core::checksum::checksum;
use alfil_nn::{Network, Origin};
use async_nats::jetstream::consumer::{Consumer, pull};
use async_nats::jetstream::kv::Entry;
use async_nats::jetstream::object_store::{self, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::{Config, Stream};
use async_nats::jetstream::{self, kv};
use async_nats::{Client, HeaderMap};
use futures_util::StreamExt;
use serde::Serialize;
use tokio::io::AsyncReadExt;

use crate::error::Trouble;
use crate::layout::{
    BOARD, HEADERS, Kind, LARGEST_MESSAGE, LEASES, MOST_NETWORKS, NETWORKS, PRESENCE, RESULTS, streams,
};
use crate::message::{NetworkName, write};
use crate::{Address, FleetError, Role};

/// How long the server may take to answer a request.
const ANSWER: Duration = Duration::from_secs(10);

/// How often whoever follows the board looks whether it still is the same one.
const CHECK: Duration = Duration::from_secs(10);

/// Bytes of a network at most.
const LARGEST_NETWORK: usize = 1 << 30;

/// A piece of a network in the object store, at most.
const PIECE: usize = 256 << 10;

/// A connection to a fleet's server.
#[derive(Clone)]
pub struct Link {
    pub client: Client,
    pub jetstream: jetstream::Context,
}

impl Link {
    pub async fn connect(address: &Address, role: Role) -> Result<Link, FleetError> {
        let client = address.connect(role).await?;
        let mut jetstream = jetstream::new(client.clone());
        jetstream.set_timeout(ANSWER);
        Ok(Link { client, jetstream })
    }

    /// Makes the streams and buckets that are missing. Only the trainer may.
    pub async fn lay_out(&self, lease: Duration) -> Result<(), Trouble> {
        for config in streams() {
            self.make(config).await?;
        }
        let bucket = format!("OBJ_{NETWORKS}");
        if self.jetstream.get_stream(bucket).await.is_err() {
            let config = object_store::Config {
                bucket: NETWORKS.to_owned(),
                max_bytes: MOST_NETWORKS,
                ..object_store::Config::default()
            };
            self.jetstream.create_object_store(config).await?;
        }
        let (leases, results) = (self.stream(LEASES).await?, self.stream(RESULTS).await?);
        for kind in Kind::ALL {
            leases.create_consumer(kind.lease_consumer(lease)).await?;
            results.create_consumer(kind.result_consumer()).await?;
        }
        Ok(())
    }

    async fn make(&self, config: Config) -> Result<(), Trouble> {
        if self.jetstream.get_stream(&config.name).await.is_err() {
            self.jetstream.create_stream(config).await?;
        }
        Ok(())
    }

    /// Bytes that a message may have beside its headers.
    pub fn room(&self) -> usize {
        self.client.server_info().max_payload.min(LARGEST_MESSAGE).saturating_sub(HEADERS)
    }

    pub async fn stream(&self, name: &str) -> Result<Stream, Trouble> {
        Ok(self.jetstream.get_stream(name).await?)
    }

    pub async fn consumer(&self, stream: &str, kind: Kind) -> Result<Consumer<pull::Config>, Trouble> {
        Ok(self.jetstream.get_consumer_from_stream(kind.word(), stream).await?)
    }

    pub async fn board(&self) -> Result<kv::Store, Trouble> {
        Ok(self.jetstream.get_key_value(BOARD).await?)
    }

    /// Follows what the board says of these keys, from what is there now. Returns when it has to be begun again: a server that has lost
    /// its store counts from the beginning, and whoever follows by the old count would hear nothing.
    pub async fn follow(&self, keys: &str, note: &mut (dyn FnMut(&Entry) + Send)) -> Result<(), Trouble> {
        let name = format!("KV_{BOARD}");
        let made = self.stream(&name).await?.cached_info().created;
        let mut changes = self.board().await?.watch_with_history(keys).await?;
        let mut checked = Instant::now();
        loop {
            match tokio::time::timeout(CHECK.saturating_sub(checked.elapsed()), changes.next()).await {
                Ok(Some(entry)) => note(&entry?),
                Ok(None) => return Err(Trouble("the server sends no more changes".to_owned())),
                Err(_) => {
                    if self.stream(&name).await?.cached_info().created != made {
                        return Err(Trouble("the board is another one".to_owned()));
                    }
                    checked = Instant::now();
                }
            }
        }
    }

    pub async fn presence(&self) -> Result<kv::Store, Trouble> {
        Ok(self.jetstream.get_key_value(PRESENCE).await?)
    }

    /// Publishes, and returns the message's place in its stream when the server has stored it.
    pub async fn publish(&self, subject: String, headers: HeaderMap, bytes: Vec<u8>) -> Result<u64, Trouble> {
        let stored = self.jetstream.publish_with_headers(subject, headers, bytes.into()).await?;
        Ok(stored.await?.sequence)
    }

    /// Says in a bucket what is true of `key` now.
    pub async fn put(&self, bucket: &kv::Store, key: &str, value: &impl Serialize) -> Result<(), Trouble> {
        bucket.put(key, write(value).into()).await?;
        Ok(())
    }

    /// Puts a network into the object store, unless it is there.
    pub async fn store_network(&self, network: &Network) -> Result<NetworkName, Trouble> {
        // A rating that is added later changes nothing about how it plays.
        let origin = Origin { rating: None, ..network.origin.clone() };
        let bytes = Network { origin, ..network.clone() }.to_bytes()?;
        let name = format!("{:016x}-{}", checksum(&bytes), bytes.len());
        let networks = self.networks().await?;
        let known = networks.info(&name).await.ok().filter(|info| !info.deleted && info.size == bytes.len());
        if let Some(digest) = known.and_then(|info| info.digest) {
            return Ok(NetworkName { name, digest });
        }
        let piece = PIECE.min(self.room());
        let metadata = ObjectMetadata { name: name.clone(), chunk_size: Some(piece), ..ObjectMetadata::default() };
        let stored = networks.put(metadata, &mut bytes.as_slice()).await?;
        let stored = NetworkName { name, digest: stored.digest.unwrap_or_default() };
        // What was damaged on the way would be there for good: workers could not fetch it.
        if let Err(why) = self.fetch_network(&stored).await {
            networks.delete(&stored.name).await?;
            return Err(why);
        }
        Ok(stored)
    }

    /// Removes networks that are not among these. One that is needed again is stored again.
    pub async fn forget_networks(&self, needed: &[NetworkName]) -> Result<(), Trouble> {
        let networks = self.networks().await?;
        let mut list = networks.list().await?;
        let mut old = Vec::new();
        while let Some(info) = list.next().await {
            let info = info?;
            if !needed.iter().any(|network| network.name == info.name) {
                old.push(info.name);
            }
        }
        for name in old {
            networks.delete(name).await?;
        }
        Ok(())
    }

    /// Fetches a network, whose SHA-256 is checked.
    pub async fn fetch_network(&self, wanted: &NetworkName) -> Result<Network, Trouble> {
        let wrong = |why: &str| Trouble(format!("the network {} {why}", wanted.name));
        let mut object = self.networks().await?.get(&wanted.name).await?;
        if object.info().digest.as_ref() != Some(&wanted.digest) {
            return Err(wrong("has another SHA-256 than the run says"));
        }
        if object.info().size > LARGEST_NETWORK {
            return Err(wrong("is too large"));
        }
        let mut bytes = Vec::with_capacity(object.info().size.min(1 << 20));
        // The object store compares the bytes with the digest.
        (&mut object).take(LARGEST_NETWORK as u64).read_to_end(&mut bytes).await?;
        Ok(Network::from_bytes(&bytes)?)
    }

    async fn networks(&self) -> Result<ObjectStore, Trouble> {
        Ok(self.jetstream.get_object_store(NETWORKS).await?)
    }
}
