#include "runtime/region/judge.h"

#include "runtime/environment.h"
#include "runtime/region/contest.h"
#include "runtime/region/cost.h"
#include "runtime/region/outlook.h"
#include "runtime/region/purse.h"

#include <stddef.h>

/*
 * A graph is made, whatever the purse has, when so many halves of its price would have been saved, and that
 * is this part of the time since then at least: the program may end right behind that, and where little would
 * have been saved, there is little to gain by having dared. Where the host waits behind each pass, of few
 * launches, what these take is the smaller part, and estimates of what is left are off by more; and of a loop
 * within one opening nobody knows whether it is ever entered again: that has to wait for the purse. Before
 * the program has run so many times the price, none is made, as it may be about to end; fewer times where
 * there are branches, whose price is several times that of a chain.
 */
enum { CAUTION = 3, SHARE = 6, SHARE_SHORT = 2, FEW = 8, EARLY = 8, EARLY_BRANCHES = 4 };

/* Where loops say how much is to come, a graph is made that pays well, and none that does not. Few launches
 * are measured so often first. */
enum { KNOWN = 2 };

/* Of an opening, the device is asked first after so many passes, for this price, an estimate. */
enum { FIRST_ASKED = 8, ASKING = 4000 };

/* What saves this part of the time at most is worth a try; and what saves that part, for a price that seems
 * so many times less. */
enum { WORTH = 8, BOLDLY = 3, BOLDNESS = 4 };

/* What is saved or lost beyond this and the price does not count: the program may change. */
enum { MOST_CREDIT = 100000, MOST_PRICES = 2 };

/* What is lost is forgotten by this part each pass that loses nothing. */
enum { FORGIVING = 8 };

/* A launch that takes so many times what is expected is why graphs do not pay. */
enum { DEAR = 2 };

/* What is slower, as measured, is tried again when the program has run so many times as long. */
enum { REST = 4 };

void kesco_judge_init(struct kesco_judge *judge, const struct kesco_region *region) {
    *judge = (struct kesco_judge){.region = region,
                                  .mode = kesco_governor_mode(region),
                                  .forecast.launch = kesco_cost(KESCO_COST_GRAPH)};
    kesco_attention_init(&judge->attention, judge->mode == KESCO_MODE_AUTO);
}

/* What lanes would have saved since the region was opened; `known`: where nobody counts. */
static int64_t find_gain(const struct kesco_governor *governor, int64_t known) {
    const int64_t saving = governor->counts ? kesco_governor_saving(governor) : known;

    return saving > 0 ? saving : 0;
}

static bool is_asleep(const struct kesco_judge *judge) {
    return judge->attention.start != NULL;
}

void kesco_judge_open(struct kesco_judge *judge, const struct kesco_governor *governor) {
    const int64_t gain = find_gain(governor, 0);

    judge->governor = governor;
    judge->opening.passes = judge->opening.asked = 0;
    if (kesco_attention_open(&judge->attention))
        judge->forecast.gain = gain; /* the device may still have work from before */
    else
        kesco_forecast_open(&judge->forecast, gain);
    judge->opening.is_fresh = judge->mode == KESCO_MODE_AUTO && !is_asleep(judge);
    if (judge->opening.is_fresh)
        kesco_trial_begin(&judge->trial, judge->attention.opened);
    else
        kesco_trial_break(&judge->trial);
}

/* Of a region with lanes, not all passes are told of. */
void kesco_judge_close(struct kesco_judge *judge) {
    if (judge->opening.is_fresh && judge->usual > 0 && !is_asleep(judge))
        kesco_trial_end(&judge->trial, judge->usual, 0);
    kesco_attention_close(&judge->attention);
}

/* Paths */

/* By estimates: what pays for a graph, or goes on paying. */
static bool has_saved(const struct kesco_path *path) {
    return 2 * path->credit >=
           (path->graphs > 0 ? 0 : CAUTION * kesco_forecast_price(kesco_path_shape(path)));
}

/* The host waits behind each pass, of few launches. */
static bool is_short(const struct kesco_judge *judge, const struct kesco_path *path) {
    return judge->waits.are_usual && path->last.count < FEW;
}

/* Several passes have been in this opening. */
static bool is_loop(const struct kesco_judge *judge) {
    return judge->opening.passes > 1;
}

static bool is_sure(const struct kesco_judge *judge, const struct kesco_path *path) {
    const int64_t share = is_short(judge, path) ? SHARE_SHORT : SHARE;
    const struct kesco_shape shape = kesco_path_shape(path);
    const int64_t early = shape.branches > 0 ? EARLY_BRANCHES : EARLY;

    return !is_loop(judge) && has_saved(path) &&
           share * path->credit >= (int64_t)(kesco_attention_time() - path->since.time) &&
           (int64_t)kesco_attention_time() >= early * kesco_forecast_price(shape);
}

/* So far, by estimates. */
static int64_t saved_by(const struct kesco_path *path) {
    return path->credit > 0 ? path->credit : 0;
}

/* What is to come of that. */
static enum kesco_outlook outlook_of(const struct kesco_judge *judge, const struct kesco_path *path,
                                     int64_t *to_come) {
    return kesco_outlook_of(judge->region, &path->since, saved_by(path), to_come);
}

/* True if the loops say that a graph will have saved its price some times over. Of few launches, what they
 * take one by one is measured first, which graphs can be held against. */
static bool will_pay(const struct kesco_judge *judge, const struct kesco_path *path) {
    const int64_t price = kesco_forecast_price(kesco_path_shape(path));
    int64_t to_come;

    if (path->last.count < FEW && judge->trial.each.count < KNOWN)
        return false;
    outlook_of(judge, path, &to_come);
    return kesco_outlook_pays(judge->region, to_come, price);
}

/* True if they say that it will hardly save its price. */
static bool comes_too_late(const struct kesco_judge *judge, const struct kesco_path *path) {
    int64_t to_come;

    return outlook_of(judge, path, &to_come) == KESCO_OUTLOOK_ALL &&
           to_come < KESCO_OUTLOOK_WELL * kesco_forecast_price(kesco_path_shape(path));
}

/* Whenever the program ends, it will not have lost much by a graph. More may be lost where launches alone, as
 * measured, take the most of its time. */
static bool can_be_afforded(const struct kesco_judge *judge, const struct kesco_path *path) {
    const struct kesco_shape shape = kesco_path_shape(path);
    const int64_t price = kesco_forecast_price(shape);
    const bool is_bold =
        !is_short(judge, path) && !is_loop(judge) &&
        kesco_trial_is_worth(&judge->trial, BOLDLY, kesco_forecast_most_saved(&judge->forecast, shape));

    if (path->graphs > 0 || will_pay(judge, path))
        return true;
    if (comes_too_late(judge, path))
        return false;
    return is_sure(judge, path) || kesco_purse_affords((uint64_t)(is_bold ? price / BOLDNESS : price));
}

/* What a graph of a pass saves at most: what the pass takes one by one, as measured, beyond what the host
 * takes for the graph alone. INT64_MAX: nothing is measured. */
static int64_t most_saved(const struct kesco_judge *judge, struct kesco_shape shape) {
    if (judge->trial.each.count == 0)
        return INT64_MAX;
    return (int64_t)(kesco_rows_rate(&judge->trial.each) * shape.launches) -
           (int64_t)kesco_forecast_host_time(&judge->forecast, shape);
}

/* By estimates; or, as far as they do not speak against it, by what was measured. */
static bool is_promising(const struct kesco_judge *judge, const struct kesco_path *path) {
    const struct kesco_shape shape = kesco_path_shape(path);

    if (most_saved(judge, shape) < 0)
        return false;
    if (has_saved(path) || will_pay(judge, path))
        return true;
    return path->credit > -MOST_CREDIT &&
           kesco_forecast_is_shorter(&judge->forecast, shape, path->updates.changes) &&
           (kesco_trial_verdict(&judge->trial) == KESCO_FASTER ||
            kesco_trial_is_worth(&judge->trial, path->credit < 0 ? BOLDLY : WORTH,
                                 kesco_forecast_most_saved(&judge->forecast, shape)));
}

static bool rests(const struct kesco_judge *judge) {
    if (kesco_trial_wants_each(&judge->trial))
        return true;
    return judge->trial.rests_until != 0 && kesco_attention_time() < judge->trial.rests_until;
}

bool kesco_judge_hopes(const struct kesco_judge *judge, const struct kesco_path *path) {
    if (path->last.count == 0 || path->is_refused)
        return false;
    return judge->mode != KESCO_MODE_AUTO || (path->again && is_promising(judge, path) && !rests(judge));
}

bool kesco_judge_allows(const struct kesco_judge *judge, const struct kesco_path *path) {
    return kesco_judge_hopes(judge, path) && (judge->mode != KESCO_MODE_AUTO || can_be_afforded(judge, path));
}

void kesco_judge_refuse(struct kesco_path *path) {
    path->credit = -MOST_CREDIT;
}

/* Passes */

bool kesco_judge_lets_pass(struct kesco_judge *judge, const struct kesco_site *site, bool *woke) {
    const bool was_asleep = is_asleep(judge);

    *woke = false;
    if (kesco_attention_lets_pass(&judge->attention, site))
        return true;
    *woke = was_asleep;
    if (was_asleep)
        judge->forecast.gain = find_gain(judge->governor, judge->forecast.gain);
    return false;
}

bool kesco_judge_is_of_chain(const struct kesco_judge *judge) {
    return judge->region->lanes == 1 || judge->region->placed;
}

bool kesco_judge_takes_short_passes(const struct kesco_judge *judge) {
    return kesco_judge_is_of_chain(judge) || (judge->mode == KESCO_MODE_AUTO && !judge->graphs.have_branches);
}

bool kesco_judge_wants_device(struct kesco_judge *judge) {
    const uint32_t due = judge->opening.asked == 0 ? FIRST_ASKED : 2 * judge->opening.asked;

    if (judge->mode != KESCO_MODE_AUTO || !kesco_judge_is_of_chain(judge) || judge->opening.passes < due ||
        !kesco_forecast_is_behind(&judge->forecast) || judge->trial.each.count == 0 ||
        !kesco_purse_affords(ASKING))
        return false;
    judge->opening.asked = judge->opening.passes;
    kesco_purse_spend(ASKING);
    return true;
}

void kesco_judge_note_device(struct kesco_judge *judge, uint64_t expected, uint64_t took) {
    kesco_forecast_correct(&judge->forecast, expected, took);
}

void kesco_judge_begin(struct kesco_judge *judge, bool is_put_off) {
    const bool must = kesco_trial_verdict(&judge->trial) != KESCO_FASTER;

    kesco_forecast_begin(&judge->forecast);
    kesco_forecast_work(&judge->forecast,
                        kesco_attention_begin(&judge->attention, is_put_off, must, judge->passes));
    if (!judge->attention.is_watched)
        kesco_trial_break(&judge->trial);
    else if (!judge->opening.is_fresh)
        kesco_trial_begin(&judge->trial, kesco_attention_now());
    judge->opening.is_fresh = false;
}

void kesco_judge_place(struct kesco_judge *judge, const struct kesco_pass *pass,
                       const struct kesco_site *site, uint64_t amount) {
    if (!judge->attention.is_watched)
        return;
    kesco_forecast_work(&judge->forecast, kesco_attention_arrive(&judge->attention));
    kesco_forecast_place(&judge->forecast, pass, site, amount, kesco_contest_scale(judge->governor->contest));
}

void kesco_judge_expect_host(struct kesco_judge *judge) {
    judge->waits = (struct kesco_judge_waits){.are_usual = judge->waits.passes <= 1};
}

void kesco_judge_note_host(struct kesco_judge *judge) {
    kesco_forecast_wait(&judge->forecast);
    kesco_attention_forget(&judge->attention);
}

void kesco_judge_note_update(struct kesco_judge *judge, uint32_t nodes) {
    if (judge->attention.is_watched)
        kesco_forecast_update(&judge->forecast, nodes);
}

void kesco_judge_note_graph(struct kesco_judge *judge, struct kesco_shape shape, uint64_t took) {
    judge->graphs.are_there = true;
    kesco_trial_forget_graphs(&judge->trial);
    kesco_forecast_note_made(shape, took);
    kesco_purse_spend(took);
}

/* Where some of its passes are graphs, it has no lanes. */
static bool counts_lanes(const struct kesco_judge *judge, bool is_put_off) {
    return kesco_judge_is_of_chain(judge) || is_put_off || judge->governor->counts || judge->graphs.are_there;
}

static int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* What saves less than this part of what a pass takes, as measured, saves nothing: estimates are off by more.
 */
enum { LITTLE = 32 };

/* What the pass saves as a graph of that form, for which `saving` was estimated. A launch alone, as between
 * two fetches, saves nothing, whatever is expected of it. */
static int64_t find_saving(const struct kesco_judge *judge, const struct kesco_pass *pass,
                           enum kesco_form form, int64_t saving) {
    const struct kesco_shape shape = kesco_shape_of(pass->count, pass->branches, form);
    const struct kesco_rows *each = &judge->trial.each;
    bool is_little;

    saving = lesser(saving, pass->count > 1 ? most_saved(judge, shape) : 0);
    is_little = each->count > 0 && LITTLE * saving < (int64_t)(kesco_rows_rate(each) * shape.launches);
    return saving > 0 && is_little ? 0 : saving;
}

static int64_t between(int64_t least, int64_t value, int64_t most) {
    return value < least ? least : value > most ? most : value;
}

/* What is not counted beyond. */
static int64_t most_credit(const struct kesco_path *path, enum kesco_form form) {
    return MOST_PRICES * kesco_forecast_price(kesco_shape_of(path->last.count, path->last.branches, form)) +
           MOST_CREDIT;
}

/* The pass would have saved so much as a graph of each form, or has. */
static void count_saving(struct kesco_path *path, const int64_t savings[KESCO_FORMS], uint32_t weight) {
    struct kesco_path_form *formed = &path->formed;
    const int64_t saving = savings[formed->form];

    formed->beyond =
        between(0, formed->beyond + (savings[KESCO_FORM_BRANCHES] - savings[KESCO_FORM_CHAIN]) * weight,
                most_credit(path, KESCO_FORM_BRANCHES));
    if (saving < 0 && path->credit > 0 && path->graphs > 0)
        path->credit /= 2;
    path->credit += saving * weight;
    if (saving == 0 && path->credit < 0)
        path->credit -= path->credit / FORGIVING;
    path->credit = between(-MOST_CREDIT, path->credit, most_credit(path, formed->form));
}

/* Its graphs, of which there are none yet, will be of that form. */
static void take_form(struct kesco_path *path, enum kesco_form form) {
    struct kesco_path_form *formed = &path->formed;
    const int sign = (int)formed->form - (int)form;

    path->credit = between(-MOST_CREDIT, path->credit + sign * formed->beyond, most_credit(path, form));
    path->since.amount += sign * formed->before;
    formed->form = form;
}

/* Passes with branches are so many halves as long as others (replay.c). */
enum { LONGER = 5 };

/* What branches cost beyond a chain. */
static int64_t price_of_branches(const struct kesco_path *path) {
    const uint32_t launches = path->last.count, branches = path->last.branches;

    return kesco_forecast_price(
               kesco_shape_of(launches * LONGER / 2, branches * LONGER / 2, KESCO_FORM_BRANCHES)) -
           kesco_forecast_price(kesco_shape_of(launches, branches, KESCO_FORM_CHAIN));
}

/* True if the loops say that branches will have saved some times what they cost beyond chains. */
static bool will_pay_for_branches(const struct kesco_judge *judge, const struct kesco_path *path) {
    struct kesco_outlook_start since = path->since;
    int64_t to_come;

    since.amount = path->formed.before;
    return since.time != 0 &&
           kesco_outlook_of(judge->region, &since, path->formed.beyond, &to_come) != KESCO_OUTLOOK_UNKNOWN &&
           to_come >= KESCO_OUTLOOK_WELL * price_of_branches(path);
}

/* True if branches save more than chains do, of passes that are opened one by one; of few launches, chains
 * save little. */
static bool save_the_most(const struct kesco_judge *judge, const struct kesco_path *path) {
    const int64_t beyond = path->formed.beyond,
                  by_chains = saved_by(path) - (path->formed.form == KESCO_FORM_BRANCHES ? beyond : 0);

    return judge->passes > 1 && !is_loop(judge) && (path->last.count < FEW || beyond > by_chains);
}

/* Of paths that have no graphs yet. Where graphs with branches, which are dear, will not have saved their
 * price, chains may, if these save the most of that. */
static void choose_form(struct kesco_judge *judge, struct kesco_path *path) {
    judge->graphs.have_branches =
        judge->graphs.have_branches || save_the_most(judge, path) || will_pay_for_branches(judge, path);
    take_form(path, judge->graphs.have_branches ? KESCO_FORM_BRANCHES : KESCO_FORM_CHAIN);
    if (judge->graphs.have_branches && 2 * path->formed.beyond <= path->credit && comes_too_late(judge, path))
        take_form(path, KESCO_FORM_CHAIN);
}

/* Where chains have saved so many times what branches cost beyond them, branches are tried: should the
 * program end then, most of that is left. */
enum { RICH = 6 };

/* Of a path with graphs that are chains. */
static void reconsider_form(struct kesco_judge *judge, struct kesco_path *path) {
    const int64_t price = price_of_branches(path);
    const bool is_rich = path->formed.beyond > 0 && judge->graphs.saved >= RICH * price &&
                         !kesco_outlook_is_long(judge->region, 0);

    if (judge->graphs.have_branches || !(is_rich || will_pay_for_branches(judge, path)))
        return;
    judge->graphs.have_branches = true;
    judge->graphs.credit = MOST_PRICES * price;
    if (is_loop(judge))
        return; /* passes get longer, and have other paths */
    kesco_path_forget_graphs(path, false);
    take_form(path, KESCO_FORM_BRANCHES);
}

static void inherit_credit(struct kesco_judge *judge, struct kesco_path *path) {
    if (!judge->graphs.have_branches)
        return;
    path->credit += judge->graphs.credit;
    judge->graphs.credit = 0;
}

static void consider_form(struct kesco_judge *judge, struct kesco_path *path) {
    if (judge->mode != KESCO_MODE_AUTO || path->last.branches <= 1)
        return;
    if (path->graphs == 0)
        choose_form(judge, path);
    else
        reconsider_form(judge, path);
}

static void account(struct kesco_judge *judge, struct kesco_path *path, const struct kesco_pass *pass,
                    bool is_put_off) {
    const int64_t gain = find_gain(judge->governor, judge->forecast.gain);
    int64_t savings[KESCO_FORMS];
    uint32_t form;

    kesco_forecast_end(&judge->forecast, pass, gain, savings);
    if (judge->forecast.is_unknown || !counts_lanes(judge, is_put_off))
        return; /* nobody knows what lanes would have saved */
    for (form = 0; form < KESCO_FORMS; form++)
        savings[form] = find_saving(judge, pass, (enum kesco_form)form, savings[form]);
    count_saving(path, savings, judge->attention.weight);
    if (path->graphs > 0)
        judge->graphs.saved += savings[path->formed.form] * judge->attention.weight;
}

/* When they are tried again, what they took may not be so any more. */
static void give_up(struct kesco_judge *judge) {
    kesco_log("graphs are slower than launches one by one (%s, line %u)",
              judge->region->function != NULL ? judge->region->function : "?", judge->region->line);
    judge->forecast.launch = kesco_cost(KESCO_COST_GRAPH);
    judge->forecast.scale = 0;
    kesco_trial_begin_anew(&judge->trial);
    judge->trial.rests_until = REST * kesco_attention_time();
}

/* As launches of the path's graphs have shown. */
static bool is_too_dear(const struct kesco_judge *judge, const struct kesco_path *path,
                        struct kesco_shape shape) {
    return most_saved(judge, shape) < 0 ||
           (path->credit < 0 && judge->forecast.launch > DEAR * kesco_cost(KESCO_COST_GRAPH));
}

static void measure(struct kesco_judge *judge, const struct kesco_path *path, struct kesco_shape shape,
                    bool is_graph) {
    kesco_trial_end(&judge->trial, shape.launches, is_graph ? shape.launches : 0);
    if ((is_graph && is_too_dear(judge, path, shape)) || kesco_trial_verdict(&judge->trial) == KESCO_SLOWER)
        give_up(judge);
}

void kesco_judge_end(struct kesco_judge *judge, struct kesco_path *path, const struct kesco_pass *pass,
                     bool is_put_off, bool is_graph) {
    path->used = ++judge->passes;
    if (path->since.time == 0) {
        consider_form(judge, path);
        inherit_credit(judge, path);
    }
    judge->waits.are_usual &= ++judge->waits.passes <= 1;
    judge->opening.passes++;
    if (is_graph && path->took != 0)
        kesco_forecast_note_launched(&judge->forecast, kesco_path_shape(path), path->took);
    if (!is_graph)
        judge->usual = pass->count;
    if (judge->attention.is_watched) {
        account(judge, path, pass, is_put_off);
        measure(judge, path, kesco_path_shape(path), is_graph);
    }
    if (path->since.time == 0) {
        path->since = kesco_outlook_start(judge->region, saved_by(path));
        path->formed.before = path->formed.beyond;
    }
    consider_form(judge, path);
}
