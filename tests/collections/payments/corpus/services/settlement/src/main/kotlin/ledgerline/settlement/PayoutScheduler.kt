package ledgerline.settlement

import java.time.DayOfWeek
import java.time.LocalDate
import java.time.LocalTime
import java.time.ZonedDateTime

/** Why a merchant's money stays with us for now. */
enum class HoldReason { NEW_MERCHANT, RISK_REVIEW, BANK_REJECTED }

/** What a merchant may be paid, in minor units, and what stands against it. */
data class Balance(
    val merchant: String,
    val currency: String,
    val available: Long,
    val holds: Set<HoldReason>,
    val firstPaymentOn: LocalDate,
)

/** One transfer to one merchant. The batch key makes it unique: a day's run cannot pay twice. */
data class Payout(val batchKey: String, val merchant: String, val amount: Long, val currency: String, val valueDate: LocalDate)

/**
 * Decides who is paid today, and how much.
 *
 * Reads `config/payouts.toml`; the rules for merchants stand in `docs/payments/payouts.md`.
 */
class PayoutScheduler(
    private val minimum: Long = 1_000,
    private val cutOff: LocalTime = LocalTime.of(16, 0),
    private val newMerchantDays: Long = 7,
    private val bankHolidays: Set<LocalDate> = emptySet(),
) {
    /** The payouts of a run, in the order of the balances. Who gets none is carried over to the next day. */
    fun schedule(balances: List<Balance>, now: ZonedDateTime): List<Payout> {
        val runDay = if (now.toLocalTime() < cutOff) now.toLocalDate() else now.toLocalDate().plusDays(1)
        return balances
            .filter { isPayable(it, runDay) }
            .map {
                Payout(batchKey(it, runDay), it.merchant, it.available, it.currency, valueDate(runDay))
            }
    }

    /** A negative balance is never collected from the bank account: later captures fill it up. */
    private fun isPayable(balance: Balance, day: LocalDate): Boolean {
        val isNew = balance.firstPaymentOn.plusDays(newMerchantDays) > day
        return balance.available >= minimum && balance.holds.isEmpty() && !isNew
    }

    /**
     * Names the payout by merchant, currency and day. The column has a unique index, so that a second run of the same day
     * (after a failover, by hand) inserts nothing: see the post-mortem of 2024-06-18.
     */
    fun batchKey(balance: Balance, day: LocalDate): String = "${balance.merchant}/${balance.currency}/$day"

    /** Two bank days after the run. */
    fun valueDate(runDay: LocalDate): LocalDate {
        var day = runDay
        repeat(2) { day = nextBankDay(day) }
        return day
    }

    private fun nextBankDay(day: LocalDate): LocalDate =
        generateSequence(day.plusDays(1)) { it.plusDays(1) }
            .first { it.dayOfWeek !in setOf(DayOfWeek.SATURDAY, DayOfWeek.SUNDAY) && it !in bankHolidays }
}
