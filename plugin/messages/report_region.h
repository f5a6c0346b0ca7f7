/*
 * What a report has of regions (plugin/report/plan_report.h). Functions return 0, -ENOMEM, or -EINVAL when no
 * function is open.
 */
#ifndef KESCO_MESSAGES_REPORT_REGION_H
#define KESCO_MESSAGES_REPORT_REGION_H

#include "plugin/plan/scheduled_region.h"
#include "plugin/report/plan_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Appends the region and its plan to the open function. */
int kesco_report_region(struct kesco_report_builder *builder, const struct kesco_op_region *region,
                        const struct kesco_scheduled_region *scheduled);

/* Adds what the run checks for the plan. */
int kesco_report_guards(struct kesco_report_builder *builder, const struct kesco_op_region *region,
                        const struct kesco_scheduled_region *scheduled);

/* Adds the claims that the plan relies on. */
int kesco_report_claims(struct kesco_report_builder *builder, const struct kesco_op_region *region,
                        const struct kesco_scheduled_region *scheduled);

#ifdef __cplusplus
}
#endif

#endif
