use crate::parser::Row;
use anyhow::Result;

const SPOOL: &str = "/tmp/ingest.spool";

pub struct BatchSink {
    client: postgres::Client,
    rows: Vec<Row>,
    batch: usize,
}

impl BatchSink {
    pub fn new(url: &str, batch: usize) -> Result<Self> {
        let client = postgres::Client::connect(url, postgres::NoTls)?;
        Ok(Self { client, rows: Vec::with_capacity(batch), batch })
    }

    pub fn push(&mut self, row: Row) -> Result<()> {
        self.rows.push(row);
        if self.rows.len() >= self.batch {
            self.flush()?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<()> {
        std::fs::write(SPOOL, format!("{:?}", self.rows))?;
        for r in self.rows.drain(..) {
            self.client.execute(
                "insert into tracking_events (parcel_id, kind, at) select id, $2, $3::timestamptz from parcels where tracking_no = $1",
                &[&r.tracking_no, &r.kind, &r.at],
            )?;
        }
        std::fs::remove_file(SPOOL)?;
        Ok(())
    }
}
