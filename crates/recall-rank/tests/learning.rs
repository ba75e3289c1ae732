//! What training finds, and the guarantees that it keeps.

use oorandom::Rand32;
use proptest::prelude::*;
use recall_rank::{
    Judged, JudgedError, JudgedQuery, MissingFeature, Monotone, Objective, ParameterError, Parameters, Ranker, Start,
    TrainError,
};
use recall_rank::{cross_validate, cross_validate_from, ndcg_at, train, train_from};

const FEATURES: [&str; 4] = ["noise", "signal", "sometimes", "kind"];
const CANDIDATES: usize = 30;

/// Queries of six groups. `signal` marks the relevant candidate if `kind` is 0, `sometimes` if it is 1 and not missing.
fn judged(queries: usize, seed: u64) -> Judged {
    let mut rng = Rand32::new(seed);
    let mut query = |number: usize| {
        let kind = (number % 2) as f32;
        let relevant = rng.rand_range(0..CANDIDATES as u32) as usize;
        let labels: Vec<f32> = (0..CANDIDATES).map(|at| f32::from(u8::from(at == relevant))).collect();
        let mut rows = Vec::new();
        for label in &labels {
            let signal = 1.5 * label;
            let sometimes = if rng.rand_float() < 0.2 { f32::NAN } else { signal * kind + rng.rand_float() };
            rows.extend([rng.rand_float(), signal * (1.0 - kind) + rng.rand_float(), sometimes, kind]);
        }
        let group = format!("group {}", number % 6);
        JudgedQuery { group, kind: "planted".to_owned(), weight: 1.0, rows, labels, missed: 0 }
    };
    Judged { features: FEATURES.map(str::to_owned).to_vec(), queries: (0..queries).map(&mut query).collect() }
}

fn quick() -> Parameters {
    Parameters { trees: 40, leaves: 8, rate: 0.1, min_rows: 20, feature_fraction: 1.0, ..Parameters::default() }
}

fn mean_ndcg(ranker: &Ranker, judged: &Judged) -> f64 {
    let mut scores = Vec::new();
    let mut of_query = |query: &JudgedQuery| {
        ranker.score_rows(&query.rows, &mut scores);
        ndcg_at(10, &scores, &query.labels, query.missed).expect("each query has a relevant candidate")
    };
    judged.queries.iter().map(&mut of_query).sum::<f64>() / judged.queries.len() as f64
}

#[test]
fn a_planted_signal_is_found() {
    let ranker = train(&judged(240, 1), &quick()).unwrap();
    let reached = mean_ndcg(&ranker, &judged(120, 2));
    assert!(reached > 0.9, "{reached}");
    let importance = ranker.importance();
    let planted: Vec<&str> = importance[..2].iter().map(|(name, _)| *name).collect();
    assert!(planted.contains(&"signal") && planted.contains(&"sometimes"), "{importance:?}");
}

#[test]
fn a_few_queries_improve_a_trained_ranker() {
    let (start, few) = (train(&judged(240, 1), &quick()).unwrap(), judged(60, 3));
    let parameters = Parameters { trees: 5, ..quick() };
    let added = train_from(Start::Ranker(&start), &few, &parameters).unwrap();
    assert_eq!(added.trees(), start.trees() + 5);
    let unseen = judged(120, 2);
    let alone = train(&few, &parameters).unwrap();
    assert!(mean_ndcg(&added, &unseen) > mean_ndcg(&alone, &unseen));
    let validation = cross_validate_from(Start::Ranker(&start), &few, &parameters, 3).unwrap();
    assert!(validation.mean > cross_validate(&few, &parameters, 3).unwrap().mean);
}

#[test]
fn without_new_trees_a_ranker_is_unchanged() {
    let start = train(&judged(60, 1), &quick()).unwrap();
    let parameters = Parameters { trees: 0, ..quick() };
    assert_eq!(train_from(Start::Ranker(&start), &judged(60, 3), &parameters), Ok(start));
}

#[test]
fn a_start_with_other_features_is_rejected() {
    let start = train(&judged(60, 1), &quick()).unwrap();
    let mut other = judged(60, 3);
    other.features.swap(0, 1);
    assert_eq!(
        train_from(Start::Ranker(&start), &other, &quick()),
        Err(TrainError::Features { found: 4, expected: 4 })
    );
    assert!(cross_validate_from(Start::Ranker(&start), &other, &quick(), 3).is_err());
}

#[test]
fn a_ranker_survives_writing_and_reading() {
    let ranker = train(&judged(60, 1), &quick()).unwrap();
    assert_eq!(Ranker::read(&ranker.write()), Ok(ranker));
}

#[test]
fn equal_seeds_give_equal_bytes_on_any_number_of_threads() {
    let judged = judged(120, 1);
    let on = |threads: usize, seed: u64| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let parameters = Parameters { seed, feature_fraction: 0.7, ..quick() };
        pool.install(|| train(&judged, &parameters).unwrap().write())
    };
    assert_eq!(on(1, 7), on(3, 7));
    assert_ne!(on(1, 7), on(1, 8));
}

#[test]
fn a_heavier_query_counts_more() {
    // In half of the queries the signal marks the relevant candidate, in the other half it marks the others.
    let contradiction = |weight_of_good: f32, weight_of_bad: f32| {
        let mut judged = judged(120, 1);
        for (at, query) in judged.queries.iter_mut().enumerate() {
            let is_good = at % 4 < 2;
            query.weight = if is_good { weight_of_good } else { weight_of_bad };
            for (row, label) in query.rows.chunks_exact_mut(FEATURES.len()).zip(&query.labels) {
                let signal = if is_good { *label } else { 1.0 - label };
                row.copy_from_slice(&[0.0, signal, 0.0, 0.0]);
            }
        }
        let ranker = train(&judged, &quick()).unwrap();
        let mut scores = Vec::new();
        ranker.score_rows(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0], &mut scores);
        scores[1] - scores[0]
    };
    assert!(contradiction(5.0, 1.0) > 0.0);
    assert!(contradiction(1.0, 5.0) < 0.0);
}

#[test]
fn invalid_queries_and_parameters_are_rejected() {
    let check = |change: fn(&mut Judged, &mut Parameters), expected: TrainError| {
        let (mut judged, mut parameters) = (judged(12, 1), quick());
        change(&mut judged, &mut parameters);
        assert_eq!(train(&judged, &parameters), Err(expected));
    };
    check(|judged, _| judged.features.clear(), TrainError::Judged(JudgedError::NoFeature));
    check(
        |judged, _| judged.queries[3].rows.truncate(7),
        TrainError::Judged(JudgedError::Ragged { query: 3, values: 7, expected: CANDIDATES * FEATURES.len() }),
    );
    check(
        |judged, _| judged.queries[1].labels[0] = -1.0,
        TrainError::Judged(JudgedError::Label { query: 1, label: -1.0 }),
    );
    check(
        |judged, _| judged.queries[1].weight = 0.0,
        TrainError::Judged(JudgedError::Weight { query: 1, weight: 0.0 }),
    );
    check(
        |_, parameters| parameters.leaves = 65,
        TrainError::Parameter(ParameterError::Bounds { name: "leaves", found: "65".to_owned(), expected: "2 to 64" }),
    );
    check(
        |_, parameters| parameters.monotone = [("other".to_owned(), Monotone::Up)].into(),
        TrainError::Parameter(ParameterError::Monotone { name: "other".to_owned() }),
    );
    check(|judged, _| judged.queries.iter_mut().for_each(|query| query.labels.fill(1.0)), TrainError::NoPair);
}

#[test]
fn a_group_is_scored_by_a_ranker_trained_without_it() {
    let judged = judged(120, 1);
    let validation = cross_validate(&judged, &quick(), 3).unwrap();
    for (query, fold) in judged.queries.iter().zip(&validation.folds) {
        let of_group = judged.queries.iter().zip(&validation.folds).filter(|(other, _)| other.group == query.group);
        assert!(of_group.into_iter().all(|(_, other)| other == fold));
    }
    let seen = |(query, fold): (&JudgedQuery, &usize)| (*fold != 1).then(|| query.clone());
    let others = judged.queries.iter().zip(&validation.folds).filter_map(seen).collect();
    let ranker = train(&Judged { features: judged.features.clone(), queries: others }, &quick()).unwrap();
    let held_out = validation.folds.iter().position(|fold| *fold == 1).expect("a query was held out");
    let mut scores = Vec::new();
    ranker.score_rows(&judged.queries[held_out].rows, &mut scores);
    assert_eq!(validation.scores[held_out], scores);

    assert_eq!(validation.groups.len(), 6);
    assert!(validation.mean > 0.8 && validation.spread < 0.2, "{} {}", validation.mean, validation.spread);
    assert_eq!(cross_validate(&judged, &quick(), 7), Err(TrainError::Folds { groups: 6, folds: 7 }));
}

#[test]
fn confidence_is_the_observed_frequency() {
    let judged = judged(240, 1);
    let calibration = cross_validate(&judged, &quick(), 3).unwrap().calibration(&judged);
    let ranker = train(&judged, &quick()).unwrap().with_calibration(calibration);
    let fresh = self::judged(240, 2);
    let (mut sure, mut right, mut scores) = (0, 0.0, Vec::new());
    for query in &fresh.queries {
        ranker.score_rows(&query.rows, &mut scores);
        for (score, label) in scores.iter().zip(&query.labels) {
            if ranker.confidence(*score) > 0.8 {
                sure += 1;
                right += label;
            }
        }
    }
    assert!(sure > 50 && right / sure as f32 > 0.75, "{right} of {sure}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_monotone_feature_never_lowers_a_score(
        seed in 0..1000_u64,
        down in any::<bool>(),
        row in prop::collection::vec(-0.5..3.0_f32, FEATURES.len()),
        step in 0.0..2.0_f32,
    ) {
        let monotone = if down { Monotone::Down } else { Monotone::Up };
        let constraints = ["noise", "signal"].map(|name| (name.to_owned(), monotone));
        let parameters =
            Parameters { monotone: constraints.into_iter().collect(), seed, l2: 0.1, min_rows: 3, ..quick() };
        let ranker = train(&judged(40, seed), &parameters).unwrap();
        for feature in 0..2 {
            let mut rows = row.clone();
            rows.extend_from_slice(&row);
            rows[FEATURES.len() + feature] += step;
            let mut scores = Vec::new();
            ranker.score_rows(&rows, &mut scores);
            prop_assert!(if down { scores[1] <= scores[0] } else { scores[1] >= scores[0] }, "{scores:?}");
        }
    }
}

#[test]
fn features_are_matched_by_name() {
    let (ranker, unseen) = (train(&judged(120, 1), &quick()).unwrap(), judged(20, 2));
    let names: Vec<String> = ["more"].into_iter().chain(FEATURES.into_iter().rev()).map(str::to_owned).collect();
    let moved = ranker.clone().over(&names).unwrap();
    assert_eq!(moved.features(), names);
    assert_eq!(Ranker::read(&moved.write()).unwrap(), moved);
    let (mut here, mut there) = (Vec::new(), Vec::new());
    for query in &unseen.queries {
        ranker.score_rows(&query.rows, &mut here);
        let rows = query.rows.chunks(FEATURES.len());
        let rows: Vec<f32> = rows.flat_map(|row| [7.0].into_iter().chain(row.iter().rev().copied())).collect();
        moved.score_rows(&rows, &mut there);
        assert_eq!(here, there);
    }
    assert_eq!(moved.over(ranker.features()).unwrap(), ranker);
}

#[test]
fn only_features_with_a_split_are_required() {
    let ranker = train(&judged(120, 1), &quick()).unwrap();
    let split_on: Vec<String> =
        ranker.importance().into_iter().filter(|&(_, gain)| gain > 0.0).map(|(name, _)| name.to_owned()).collect();
    assert!(ranker.clone().over(&split_on).is_ok());
    for name in &split_on {
        let without: Vec<String> = split_on.iter().filter(|known| *known != name).cloned().collect();
        assert_eq!(ranker.clone().over(&without), Err(MissingFeature { name: name.clone() }));
    }
}

/// Queries with one candidate each, whose only feature is its probability of relevance.
fn labelled_by_probability() -> Judged {
    let query = |at: usize| {
        let share = (at % 4) as f32 / 4.0;
        let is_relevant = (at / 4 % 4) as f32 / 4.0 < share;
        JudgedQuery {
            group: format!("group {}", at % 7),
            kind: "planted".to_owned(),
            weight: 1.0,
            rows: vec![share],
            labels: vec![f32::from(u8::from(is_relevant))],
            missed: 0,
        }
    };
    Judged { features: vec!["share".to_owned()], queries: (0..1600).map(query).collect() }
}

#[test]
fn a_probability_is_learnt_across_queries() {
    let parameters = Parameters {
        objective: Objective::Probability,
        trees: 200,
        feature_fraction: 1.0,
        l2: 0.1,
        ..Parameters::default()
    };
    let ranker = train(&labelled_by_probability(), &parameters).unwrap();
    let mut scores = Vec::new();
    ranker.score_rows(&[0.0, 0.25, 0.5, 0.75], &mut scores);
    for (score, expected) in scores.iter().zip([0.0, 0.25, 0.5, 0.75]) {
        let probability = 1.0 / (1.0 + (-score).exp());
        assert!((probability - expected).abs() < 0.06, "{probability} instead of {expected}");
    }
    let order = Parameters { objective: Objective::Order, ..parameters };
    assert_eq!(train(&labelled_by_probability(), &order), Err(TrainError::NoPair), "an order needs two candidates");
}
