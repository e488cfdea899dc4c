// The context of every response, and how bodies of writes name works.
import type { UpstreamRequest } from '../base/index.ts'
import { readTargets, type Targets } from '../trakt/targets.ts'
import type { Account, State } from './state.ts'

export interface Context {
  readonly state: State
  readonly account: Account
  readonly request: UpstreamRequest
  readonly body: Readonly<Record<string, unknown>>
}

/** Entries of lists have their ids beside the other fields. */
export function flatTargets({ state, body }: Context): Targets {
  const group = (name: string) => ((body[name] ?? []) as object[]).map((ids) => ({ ids }))
  return readTargets(state.catalogue, { movies: group('movies'), shows: group('shows') })
}

export function missing({ quirks }: State, { notFound }: Targets): Record<string, unknown> {
  if (quirks.notFound === 'echoes') return notFound
  return Object.fromEntries(Object.entries(notFound).map(([group, sent]) => [group, sent.length]))
}
