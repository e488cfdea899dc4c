// The revision of the displayed rows. It also depends on the time, because an account becomes out of date without any
// change.
import type { LibraryService, Remote } from '@playhead/sdk'
import { isStale } from './wire.ts'

type Source = Pick<Remote<LibraryService>, 'revision' | 'holdings'>

/** @param library undefined without a library service; then no account was ever read */
export function createRevision(library: () => Source | undefined): (signedOut: boolean) => Promise<string> {
  /** The times of the reads at a revision, by `signedOut`. */
  const read = new Map<boolean, { readonly revision: string; readonly times: readonly number[] }>()

  async function timesAt(source: Source, signedOut: boolean, revision: string): Promise<readonly number[]> {
    const known = read.get(signedOut)
    if (known?.revision === revision) return known.times
    const times = (await source.holdings('watchlist')).flatMap(({ readAtMs }) => readAtMs ?? [])
    if ((await source.revision({ feature: 'watchlist', signedOut })) === revision)
      read.set(signedOut, { revision, times })
    return times
  }

  return async (signedOut) => {
    const source = library()
    if (source === undefined) return ''
    const revision = await source.revision({ feature: 'watchlist', signedOut })
    const times = await timesAt(source, signedOut, revision)
    const nowMs = Date.now()
    return `${revision} ${times.filter((readAtMs) => isStale(readAtMs, nowMs)).length}`
  }
}
