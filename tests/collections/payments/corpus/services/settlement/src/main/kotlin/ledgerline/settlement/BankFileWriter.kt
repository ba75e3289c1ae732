package ledgerline.settlement

import java.math.BigDecimal
import java.nio.file.Files
import java.nio.file.Path
import java.nio.file.StandardCopyOption
import java.time.ZonedDateTime
import java.time.format.DateTimeFormatter

/**
 * Writes payouts as an ISO 20022 `pain.001` credit transfer, the format in which the bank takes orders.
 *
 * The end-to-end id of each transfer is the payout's batch key: reconciliation finds the statement line by it.
 */
class BankFileWriter(private val outbox: Path, private val debtorIban: String) {
    /** The name of a file, which is its message id as well. */
    fun nameFor(at: ZonedDateTime): String = "payouts-${at.format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"))}.xml"

    /** Writes beside the final name first and renames then: the bank's collector never sees half a file. */
    fun write(name: String, payouts: List<Payout>, at: ZonedDateTime) {
        val draft = outbox.resolve("$name.part")
        Files.writeString(draft, document(payouts, name, at))
        Files.move(draft, outbox.resolve(name), StandardCopyOption.ATOMIC_MOVE)
    }

    private fun document(payouts: List<Payout>, messageId: String, at: ZonedDateTime): String = buildString {
        appendLine("""<?xml version="1.0" encoding="UTF-8"?>""")
        appendLine("""<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>""")
        appendLine("<GrpHdr><MsgId>$messageId</MsgId><CreDtTm>$at</CreDtTm><NbOfTxs>${payouts.size}</NbOfTxs></GrpHdr>")
        appendLine("<PmtInf><DbtrAcct><Id><IBAN>$debtorIban</IBAN></Id></DbtrAcct>")
        payouts.forEach { append(transfer(it)) }
        appendLine("</PmtInf></CstmrCdtTrfInitn></Document>")
    }

    private fun transfer(payout: Payout): String {
        val amount = decimal(payout.amount, exponentOf(payout.currency))
        return "<CdtTrfTxInf><PmtId><EndToEndId>${payout.batchKey}</EndToEndId></PmtId>" +
            "<Amt><InstdAmt Ccy=\"${payout.currency}\">$amount</InstdAmt></Amt></CdtTrfTxInf>\n"
    }

    /** Minor units as the decimal number that the bank wants; the places depend on the currency. */
    internal fun decimal(minor: Long, exponent: Int): String = BigDecimal.valueOf(minor, exponent).toPlainString()

    private fun exponentOf(currency: String): Int = when (currency) {
        "JPY", "KRW" -> 0
        "KWD", "BHD" -> 3
        else -> 2
    }
}
