/**
 * A decomposition as a page to look at: {@link org.weft.jobs.report.Figures} has what is shown, and
 * {@link org.weft.jobs.report.ReportPage} shows it in one HTML file without network access.
 */
@NullMarked
package org.weft.jobs.report;

import org.jspecify.annotations.NullMarked;
