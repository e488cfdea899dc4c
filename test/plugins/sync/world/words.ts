// The words of scripts: durations, values, and what a script begins with.
import type { Ids } from '@playhead/sdk'
import type { Work } from './works.ts'

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

export function durationOf(text: string): number {
  const [, sign, count, unit] = /^(-?)(\d+)([smhd])$/.exec(text) ?? []
  if (unit === undefined) throw new RangeError(`${text} is no duration`)
  return (sign === '-' ? -1 : 1) * Number(count) * UNITS[unit as keyof typeof UNITS]
}

export type Values = Readonly<Record<string, string>>

export function valuesOf(words: readonly string[]): Values {
  return Object.fromEntries(words.map((word) => word.split('=', 2) as [string, string]))
}

export interface Start {
  readonly accounts: ReadonlyMap<string, readonly string[]>
  readonly pairs: readonly (readonly string[])[]
  readonly anchors: number
  readonly settings: Values
  readonly works: readonly Work[]
  /** Names of works that are one work in truth. */
  readonly same: readonly (readonly string[])[]
  readonly lines: readonly (readonly string[])[]
}

export function parse(script: string): Start {
  const accounts = new Map<string, readonly string[]>()
  const pairs: string[][] = []
  const lines: string[][] = []
  const works: Work[] = []
  const same: string[][] = []
  let anchors = 4
  let settings: Values = {}
  for (const line of script.split('\n')) {
    const words = line.replace(/#.*/, '').trim().split(/\s+/)
    const [verb = '', ...rest] = words
    if (verb === '') continue
    if (verb === 'account') accounts.set(rest[0]!, rest.slice(1))
    else if (verb === 'pair') pairs.push(rest)
    else if (verb === 'anchors') anchors = Number(rest[0])
    else if (verb === 'setting') settings = { ...settings, ...valuesOf(rest) }
    else if (verb === 'work') works.push(workOf(rest))
    else if (verb === 'same') same.push(rest)
    else lines.push(words)
  }
  for (const [from, , to] of pairs) for (const id of [from!, to!]) if (!accounts.has(id)) accounts.set(id, [])
  return { accounts, pairs, anchors, settings, works, same, lines }
}

/** `work movie merged tmdb=555` */
function workOf([type, name, ...ids]: readonly string[]): Work {
  return { name: name!, type: type as Work['type'], title: name!, year: 2005, ids: valuesOf(ids) as Ids }
}
