package ledgerline.settlement;

import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds the payout behind each line of a bank statement.
 *
 * <p>A line is matched by its end-to-end id, else by amount and date, if exactly one payout fits. What is left over goes to
 * the suspense account and becomes a break that a person resolves: see docs/ledger/reconciliation.md.
 */
public final class StatementMatcher {
    /** How far the booking may lie from the value date, in days. */
    static final long DAYS_APART = 2;

    public record Line(String id, String endToEndId, long amount, String currency, java.time.LocalDate bookedOn) {}

    public record Expected(String batchKey, long amount, String currency, java.time.LocalDate valueDate) {}

    public record Match(Line line, Expected payout, boolean byId) {}

    public record Result(List<Match> matches, List<Line> unmatchedLines, List<Expected> missing) {}

    /** Matches each line and each payout at most once. */
    public Result match(List<Line> lines, List<Expected> payouts) {
        Map<String, Expected> open = new HashMap<>();
        payouts.forEach(payout -> open.put(payout.batchKey(), payout));
        List<Match> matches = new ArrayList<>();
        List<Line> rest = new ArrayList<>();
        for (Line line : lines) {
            Expected payout = line.endToEndId() == null ? null : open.get(line.endToEndId());
            if (payout != null && sameMoney(line, payout)) {
                open.remove(payout.batchKey());
                matches.add(new Match(line, payout, true));
            } else {
                rest.add(line);
            }
        }
        List<Line> unmatched = new ArrayList<>();
        for (Line line : rest) {
            List<Expected> candidates = open.values().stream().filter(payout -> fits(line, payout)).toList();
            if (candidates.size() == 1) {
                open.remove(candidates.get(0).batchKey());
                matches.add(new Match(line, candidates.get(0), false));
            } else {
                unmatched.add(line);
            }
        }
        return new Result(matches, unmatched, List.copyOf(open.values()));
    }

    /** There is no tolerance: a cent of difference is a bank charge that somebody has to book. */
    private static boolean sameMoney(Line line, Expected payout) {
        return line.amount() == payout.amount() && line.currency().equals(payout.currency());
    }

    private static boolean fits(Line line, Expected payout) {
        long days = Math.abs(ChronoUnit.DAYS.between(payout.valueDate(), line.bookedOn()));
        return sameMoney(line, payout) && days <= DAYS_APART;
    }
}
