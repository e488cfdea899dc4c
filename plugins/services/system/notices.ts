// Notices of plugin.json as items that need attention: what the vendor of a service announced.
import type { AccountName, Attention, VendorNotice } from '@playhead/sdk'

const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS

/** Whether the notice is shown on this day. */
export function isCurrent({ from, until }: VendorNotice, nowMs: number): boolean {
  const today = new Date(nowMs).toISOString().slice(0, 10)
  return (from ?? '') <= today && today <= (until ?? '9999-12-31')
}

/** @param name display name of the account */
export function noticeOf(
  { id, title, text, severity = 'info', endsSignIn, link }: VendorNotice,
  { provider, instance, name }: AccountName & { readonly name: string },
  nowMs: number,
): Attention {
  const path = `/connections/${provider}`
  const common = { provider, instance, detail: text, ...(link === undefined ? {} : { link }) }
  if (endsSignIn === undefined)
    return {
      ...common,
      id: `notice:${provider}:${instance}:${id}`,
      kind: 'vendor_notice',
      severity,
      title: title === undefined ? `A change at ${name}` : `${name}: ${title}`,
      action: { label: 'Open connection', path },
    }
  const isSoon = Date.parse(endsSignIn) <= nowMs + SOON_MS
  return {
    ...common,
    id: `outdated:${provider}:${instance}`,
    kind: isSoon ? 'sign_in_expiring' : 'sign_in_outdated',
    severity: isSoon ? 'warning' : severity,
    title: `Sign in again before ${endsSignIn}: ${name}`,
    action: { label: 'Sign in', path },
  }
}

/** A notice of a plugin without accounts. */
export function pluginNotice(
  { id, title, text, severity = 'info', link }: VendorNotice,
  plugin: { readonly id: string; readonly name: string },
): Attention {
  return {
    id: `notice:${plugin.id}:${id}`,
    kind: 'vendor_notice',
    severity,
    plugin: plugin.id,
    title: title === undefined ? `A change at ${plugin.name}` : `${plugin.name}: ${title}`,
    detail: text,
    ...(link === undefined ? {} : { link }),
    action: { label: 'Show details', path: `/plugins/${plugin.id}` },
  }
}
