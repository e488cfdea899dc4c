// "3 need you · 2 more to look at"
import { problems as texts } from '../../texts/en/problems.ts'
import { say } from '../../texts/say.ts'
import type { Board } from './use-problem-actions.ts'

export function problemNumber({ need_you: needYou, causes }: Pick<Board, 'need_you' | 'causes'>): string {
  const more = causes.reduce((sum, one) => (one.need_you === 0 ? sum + one.rows : sum), 0)
  const parts = [
    ...(needYou > 0 || more === 0 ? [say(texts.needYou, { n: needYou })] : []),
    ...(more === 0 ? [] : [say(texts.more, { n: more })]),
  ]
  return parts.join(' · ')
}
