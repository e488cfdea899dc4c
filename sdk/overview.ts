// Blocks of `GET /api/settings/overview`: the plugin that a block is about tells it, as the capability
// `overview:<block>`.

/** Prefix of the capabilities' tokens: `overview:scheduling` tells the block `scheduling`. */
export const OVERVIEW = 'overview:'

export interface OverviewBlock {
  /** The block as the interface shows it; plain data without secrets. */
  overview(): Promise<Readonly<Record<string, unknown>>>
}
