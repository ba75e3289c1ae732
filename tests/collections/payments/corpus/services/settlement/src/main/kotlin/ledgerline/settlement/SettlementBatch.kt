package ledgerline.settlement

import java.time.Clock
import java.time.ZonedDateTime
import javax.sql.DataSource

/** What a run did, for the log and the daily report. */
data class RunReport(val payouts: Int, val alreadyPaid: Int, val files: List<String>)

/**
 * The nightly run: balances → payouts → ledger → bank file.
 *
 * It can be run again at any time. Each step is skipped for what it has done already, and the file is written last: what
 * is not in the database is in no file (ADR 0014). The file's name is kept before the file is written, so that a run that
 * died in between writes the same message again, which the bank drops if it has had it.
 */
class SettlementBatch(
    private val database: DataSource,
    private val scheduler: PayoutScheduler,
    private val bankFile: BankFileWriter,
    private val clock: Clock,
) {
    /** Takes the lock of the run, or returns null if another instance holds it. */
    fun run(): RunReport? = database.connection.use { connection ->
        connection.autoCommit = false
        if (!connection.tryAdvisoryLock(LOCK_ID)) {
            return null
        }
        val payouts = scheduler.schedule(connection.readBalances(), ZonedDateTime.now(clock))
        val inserted = payouts.filter { connection.insertPayout(it) }
        inserted.forEach { connection.postToLedger(it) }
        connection.assignFileName(bankFile.nameFor(ZonedDateTime.now(clock)))
        connection.commit()
        val unsubmitted = connection.readUnsubmitted().groupBy({ it.fileName }, { it.payout })
        for ((name, inFile) in unsubmitted) {
            bankFile.write(name, inFile, ZonedDateTime.now(clock))
            connection.markSubmitted(name)
            connection.commit()
        }
        RunReport(inserted.size, payouts.size - inserted.size, unsubmitted.keys.toList())
    }

    private companion object {
        /** Of `pg_try_advisory_lock`, held until the connection closes: one run at a time in the whole cluster. */
        const val LOCK_ID = 7_315_001L
    }
}
