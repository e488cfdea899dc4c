// The capability family `overview:<block>`: blocks of `GET /api/settings/overview`.
import { capabilityFamily } from '../capability.ts'

/** `OVERVIEW.of('scheduling')` reports the block `scheduling`. */
export const OVERVIEW = capabilityFamily<OverviewBlock>('overview:')

export interface OverviewBlock {
  /** The block as the interface shows it; plain data without secrets. */
  overview(): Promise<Readonly<Record<string, unknown>>>
}
