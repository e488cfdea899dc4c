// The recipes. Each is data: the accounts that it asks for, and what it sets up between them.
import type { Feature, PairMode } from '@playhead/sdk'

/** `server`: a media server. `tracker`: a tracker or list service. */
export type Role = 'server' | 'tracker'

export interface Slot {
  readonly id: string
  readonly label: string
  readonly role: Role
}

/** Accounts by the ids of their slots. `replace` puts `target` in the place of `source` everywhere. */
export type Step =
  | {
      readonly kind: 'pair'
      readonly source: string
      readonly target: string
      readonly mode: PairMode
      readonly features: readonly Feature[]
      readonly once?: true
    }
  | { readonly kind: 'scrobble'; readonly source: string; readonly target: string }
  | { readonly kind: 'playlists'; readonly source: string; readonly target: string }
  | { readonly kind: 'replace'; readonly source: string; readonly target: string }
  | { readonly kind: 'schedule'; readonly everyHours: number }

export interface Recipe {
  readonly id: string
  readonly name: string
  /** With the ids of slots in braces, for the names of their accounts. */
  readonly title: string
  readonly text: string
  readonly slots: readonly Slot[]
  readonly steps: readonly Step[]
}

const ALL = ['history', 'ratings', 'watchlist', 'progress'] as const
const SCHEDULE = { kind: 'schedule', everyHours: 6 } as const

export const RECIPES: readonly Recipe[] = [
  {
    id: 'server-and-tracker',
    name: 'Media server and tracker',
    title: '{server} + {tracker}',
    text: 'Your tracker has everything you watch on your media server, and each play as it happens.',
    slots: [
      { id: 'server', label: 'Media server', role: 'server' },
      { id: 'tracker', label: 'Tracker', role: 'tracker' },
    ],
    steps: [
      { kind: 'pair', source: 'server', target: 'tracker', mode: 'two_way', features: ALL },
      { kind: 'scrobble', source: 'server', target: 'tracker' },
      SCHEDULE,
    ],
  },
  {
    id: 'two-servers',
    name: 'Two media servers',
    title: '{first} + {second}',
    text: 'Both media servers have the same history, ratings, positions and playlists.',
    slots: [
      { id: 'first', label: 'First media server', role: 'server' },
      { id: 'second', label: 'Second media server', role: 'server' },
    ],
    steps: [
      { kind: 'pair', source: 'first', target: 'second', mode: 'two_way', features: ALL },
      { kind: 'playlists', source: 'first', target: 'second' },
      SCHEDULE,
    ],
  },
  {
    id: 'move-tracker',
    name: 'Move to another tracker',
    title: 'Move from {old} to {new}',
    text: 'Copies everything to the new tracker, which then takes the place of the old one everywhere. Nothing is removed.',
    slots: [
      { id: 'old', label: 'Old tracker', role: 'tracker' },
      { id: 'new', label: 'New tracker', role: 'tracker' },
    ],
    steps: [
      { kind: 'pair', source: 'old', target: 'new', mode: 'one_way', features: ALL, once: true },
      { kind: 'replace', source: 'old', target: 'new' },
    ],
  },
]
