// Blocks of `GET /api/settings/overview`: the plugin that a block is about provides it, as the capability
// `overview:<block>`.
import { capabilityFamily } from '../capability.ts'

/** `OVERVIEW.of('scheduling')` reports the block `scheduling`. */
export const OVERVIEW = capabilityFamily<OverviewBlock>('overview:')

export interface OverviewBlock {
  /** The block as the interface shows it; plain data without secrets. */
  overview(): Promise<Readonly<Record<string, unknown>>>
}
