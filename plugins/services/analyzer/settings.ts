import { type Static, Type } from '@playhead/sdk'

export const AnalyzerConfig = Type.Object({
  rule_seconds: Type.Integer({
    default: 20,
    minimum: 1,
    maximum: 600,
    title: 'Longest time of a rule (seconds)',
    description: 'A rule that takes longer in one pass is left out of it.',
  }),
})
export type AnalyzerConfig = Static<typeof AnalyzerConfig>
