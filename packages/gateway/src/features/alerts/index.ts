/** Alerts: what people of an organization have to know, for 90 days (ADR 0027). Webhooks and record streams carry them further. */
export { alertOperations as operations } from './alerts.operations.ts'
export { addAlert, removeAlerts, type NewAlert } from './alerts.rows.ts'
export { findAlert, hasAlertSince, removeOldAlerts, type AlertRow } from './list-alerts.rows.ts'
export { alertOf } from './show-alert.ts'
