//! A transport that survives a failed attempt to open a session on it.

use std::sync::{Arc, Mutex, PoisonError};

use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;

/// The slot that holds a transport while no session uses it.
pub(crate) struct Slot<T>(Arc<Mutex<Option<T>>>);

impl<T> Slot<T> {
    pub(crate) fn new(transport: T) -> Self {
        Self(Arc::new(Mutex::new(Some(transport))))
    }

    /// Takes the transport; `None` if it is taken. Dropping the returned value puts it back.
    pub(crate) fn take(&self) -> Option<Lent<T>> {
        let transport = self.0.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        Some(Lent { transport: Some(transport), slot: self.0.clone() })
    }
}

/// A transport taken from a slot.
pub(crate) struct Lent<T> {
    /// `None` only while it is dropped.
    transport: Option<T>,
    slot: Arc<Mutex<Option<T>>>,
}

impl<T> Lent<T> {
    fn transport(&mut self) -> &mut T {
        self.transport.as_mut().expect("it is there until the loan is dropped")
    }
}

impl<T> Drop for Lent<T> {
    fn drop(&mut self) {
        *self.slot.lock().unwrap_or_else(PoisonError::into_inner) = self.transport.take();
    }
}

impl<T: Transport<RoleServer> + 'static> Transport<RoleServer> for Lent<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.transport().send(item)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleServer>>> + Send {
        self.transport().receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.transport().close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dropped_loan_puts_the_transport_back() {
        let slot = Slot::new("transport");
        let lent = slot.take().expect("it is in the slot");
        assert!(slot.take().is_none());
        drop(lent);
        assert!(slot.take().is_some());
    }
}
