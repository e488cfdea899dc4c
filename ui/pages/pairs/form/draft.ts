// A pair while it is edited.
import type { Answer, Body } from '../../../api/client.ts'

export type Provider = Answer<'GET /api/sync/providers'>[number]
export type FeatureInfo = Answer<'GET /api/sync/features'>['features'][number]
export type Pair = Answer<'GET /api/pairs'>[number]
export type Mode = Pair['mode']
export type Options = Readonly<Record<string, unknown>>

/** A profile of a provider. */
export interface Account {
  readonly provider: string
  readonly instance: string
}

export interface Draft {
  readonly a: Account | null
  readonly b: Account | null
  readonly mode: Mode
  readonly name: string
  readonly enabled: boolean
  readonly features: Readonly<Record<string, Options>>
  /** Provider options of this pair, by provider name in lower case. */
  readonly providers: Readonly<Record<string, Options>>
}

export const EMPTY: Draft = { a: null, b: null, mode: 'two_way', name: '', enabled: true, features: {}, providers: {} }

export function draftOf(pair: Pair): Draft {
  return {
    a: { provider: pair.source, instance: pair.source_instance },
    b: { provider: pair.target, instance: pair.target_instance },
    mode: pair.mode,
    name: pair.name,
    enabled: pair.enabled,
    features: pair.features as Readonly<Record<string, Options>>,
    providers: (pair.providers ?? {}) as Readonly<Record<string, Options>>,
  }
}

export function bodyOf(draft: Draft): Body<'POST /api/pairs'> {
  return {
    name: draft.name.trim(),
    mode: draft.mode,
    enabled: draft.enabled,
    features: draft.features,
    providers: providersOf(draft),
    source: draft.a?.provider ?? null,
    source_instance: draft.a?.instance ?? null,
    target: draft.b?.provider ?? null,
    target_instance: draft.b?.instance ?? null,
  }
}

/** Drops the options of providers that are no longer part of the pair. */
function providersOf({ a, b, providers }: Draft): Readonly<Record<string, Options>> {
  const sides = [a, b].map((side) => side?.provider.toLowerCase())
  return Object.fromEntries(Object.entries(providers).filter(([name]) => sides.includes(name)))
}

export function isSameAccount(a: Account | null, b: Account | null): boolean {
  return a !== null && b !== null && a.provider === b.provider && a.instance === b.instance
}

/** Changed accounts or a changed direction reset the sync state. */
export function beginsAnew(before: Draft, after: Draft): boolean {
  return !isSameAccount(before.a, after.a) || !isSameAccount(before.b, after.b) || before.mode !== after.mode
}

/** The defaults of the feature schema. */
export function defaultsOf({ schema }: FeatureInfo): Options {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, { readonly default?: unknown }>>
  const defaults = Object.entries(properties).flatMap(([name, one]) =>
    one.default === undefined ? [] : [[name, one.default]],
  )
  return { ...Object.fromEntries(defaults), enabled: true, add: true, remove: true }
}
