// The capability `directory`: plugins that can be added, and how the added ones stand to their newest versions.
import { capability } from '../capability.ts'
import type { PluginKind } from '../manifest.ts'

export const DIRECTORY = capability<DirectoryService>('directory')

/** From the lowest to the highest: each asks for everything of those before it. */
export const PLUGIN_LEVELS = ['bronze', 'silver', 'gold', 'platinum'] as const
export type PluginLevel = (typeof PLUGIN_LEVELS)[number]

/**
 * `available`: it can be added. `installed`: its newest version is. `update`: a newer one can be added. `withdrawn`: the
 * installed version was withdrawn. `built_in`: a part of Playhead. `unlisted`: its folder ships with Playhead in a version
 * that the list does not have. `unsupported`: all its versions need another Playhead, or were withdrawn.
 */
export const LISTING_STATES = [
  'available',
  'installed',
  'update',
  'withdrawn',
  'built_in',
  'unlisted',
  'unsupported',
] as const
export type ListingState = (typeof LISTING_STATES)[number]

export interface DirectoryService {
  /** All plugins of the directory by name, without asking any service. Empty if there is no list. */
  list(): Promise<readonly Listing[]>
}

export interface Listing {
  readonly id: string
  readonly name: string
  readonly kind: PluginKind
  readonly state: ListingState
  /** The version that is installed; null if none is. */
  readonly version: string | null
  /** The newest version that works here; null if there is none. */
  readonly newest: string | null
  /** Why the installed version was withdrawn, and on which day. */
  readonly withdrawn: { readonly date: string; readonly why: string } | null
}
