// Rows, problems and hints in wire form.
import { type AccountName, defined, type Item, type OpenItem } from '@playhead/sdk'

/** `TRACKA`, or `TRACKA@TRACKA-P01` for other profiles than the default one. */
export function accountText({ provider, instance }: AccountName): string {
  return instance === 'default' ? provider : `${provider}@${instance}`
}

export function wireItem(item: Item) {
  const { title, year, type, series_title: series, season, episode, ids, show_ids: showIds } = item
  return {
    title: title ?? null,
    year: year ?? null,
    type,
    series_title: series ?? null,
    season: season ?? null,
    episode: episode ?? null,
    ids,
    ...defined({ show_ids: showIds }),
  }
}

export interface Hint {
  readonly provider: string
  readonly feature: string
  readonly kind: string
  readonly reason?: string
  readonly message: string
  readonly source: string
}

/** From an open item of the sync. */
export function hintOf(open: OpenItem): Hint {
  const { op, reason_code: reason, attempts, quarantined } = open
  return {
    provider: accountText(open),
    feature: open.feature,
    kind: quarantined ? 'unresolved' : 'unresolved_pending',
    reason,
    message: quarantined
      ? `It could not be written (${reason}) ${attempts} times and is not tried any more for now.`
      : `The last ${op} did not succeed (${reason}); it is tried again.`,
    source: 'sync',
  }
}
