import { type Static, Type } from '@playhead/sdk'

export const AnalyzerConfig = Type.Object({
  rule_seconds: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 600,
    title: 'Time limit for a rule (seconds)',
    description: 'A rule that takes longer is skipped in this check.',
  }),
})
export type AnalyzerConfig = Static<typeof AnalyzerConfig>
