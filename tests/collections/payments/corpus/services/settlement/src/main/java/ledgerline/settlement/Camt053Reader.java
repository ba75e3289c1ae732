package ledgerline.settlement;

import java.io.InputStream;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads the entries of an ISO 20022 {@code camt.053} end-of-day statement. */
public final class Camt053Reader {
    private final XMLInputFactory factory = XMLInputFactory.newFactory();

    public Camt053Reader() {
        // A statement comes from outside: no entities, no DTD, nothing that opens a file or a connection.
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    }

    /** The booked entries in the order of the statement; pending ones are left out, they come again when booked. */
    public List<StatementMatcher.Line> read(InputStream statement) throws XMLStreamException {
        XMLStreamReader xml = factory.createXMLStreamReader(statement);
        List<StatementMatcher.Line> lines = new ArrayList<>();
        String id = null, endToEnd = null, currency = null, status = null;
        BigDecimal amount = null;
        LocalDate booked = null;
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                switch (xml.getLocalName()) {
                    case "NtryRef" -> id = xml.getElementText();
                    case "EndToEndId" -> endToEnd = xml.getElementText();
                    case "Sts" -> status = xml.getElementText();
                    case "Amt" -> {
                        currency = xml.getAttributeValue(null, "Ccy");
                        amount = new BigDecimal(xml.getElementText());
                    }
                    case "Dt" -> booked = LocalDate.parse(xml.getElementText());
                    default -> { }
                }
            } else if (event == XMLStreamConstants.END_ELEMENT && xml.getLocalName().equals("Ntry")) {
                if ("BOOK".equals(status)) {
                    long minor = amount.movePointRight(exponent(currency)).longValueExact();
                    lines.add(new StatementMatcher.Line(id, endToEnd, minor, currency, booked));
                }
                id = endToEnd = currency = status = null;
            }
        }
        return lines;
    }

    private static int exponent(String currency) {
        return java.util.Currency.getInstance(currency).getDefaultFractionDigits();
    }
}
