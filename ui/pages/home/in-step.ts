// How a pair and its features stand, in words and colours.
import type { Answer } from '../../api/client.ts'
import type { Tone } from '../../parts/status-badge.tsx'
import { home } from '../../texts/en/home.ts'
import { count } from '../../texts/say.ts'

export type PairStatus = Answer<'GET /api/pairs/status'>['pairs'][number]
export type FeatureStatus = PairStatus['features'][number]

const { pairs: texts } = home

export function isInStep({ features }: PairStatus): boolean {
  return features.length > 0 && features.every((feature) => feature.in_step === true)
}

export function pairLook(pair: PairStatus): { readonly tone: Tone; readonly label: string } {
  if (pair.running) return { tone: 'busy', label: texts.running }
  if (!pair.enabled) return { tone: 'idle', label: texts.off }
  if (pair.features.every(({ in_step: inStep }) => inStep === null)) return { tone: 'idle', label: texts.neverRan }
  if (pair.features.some(({ status }) => status === 'failed')) return { tone: 'bad', label: texts.failed }
  return isInStep(pair) ? { tone: 'good', label: texts.inStep } : { tone: 'warn', label: texts.notInStep }
}

export function featureLook({ in_step: inStep, status, held, open }: FeatureStatus): { readonly tone: Tone; readonly label: string } {
  if (inStep === null) return { tone: 'idle', label: texts.neverRan }
  if (status === 'failed') return { tone: 'bad', label: texts.failed }
  if (inStep) return { tone: 'good', label: texts.inStep }
  if (held > 0) return { tone: 'warn', label: count(held, texts.held) }
  return { tone: 'warn', label: open > 0 ? count(open, texts.open) : texts.notInStep }
}
