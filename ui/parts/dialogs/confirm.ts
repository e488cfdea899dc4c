// Confirmation dialog: what happens and which items are affected. `confirm({ … })` resolves to the choice.
import { modals } from '@mantine/modals'
import { createElement, type ReactNode } from 'react'
import { untilLoaded } from '../page/lazy-part.ts'
import { pageStyles } from '../page/page-styles.ts'

export interface ConfirmOptions {
  readonly title: string
  readonly text: ReactNode
  /** Names of the affected items. */
  readonly touches?: readonly string[]
  /** Number of affected items, if `touches` is incomplete. */
  readonly touchesTotal?: number
  /** Label of the button, a verb ("Remove 3 items"). */
  readonly action: string
  /** Text to type first, for large changes that cannot be undone. */
  readonly typed?: string
  readonly destructive?: boolean
}

const loadQuestion = () => import('./question.tsx')

export async function confirm(options: ConfirmOptions): Promise<boolean> {
  const [{ Question }] = await Promise.all([untilLoaded(loadQuestion), pageStyles()])
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const id = modals.open({
    title: options.title,
    onClose: () => resolve(false),
    children: createElement(Question, {
      ...options,
      onAnswer: (answer: boolean) => {
        resolve(answer)
        modals.close(id)
      },
    }),
  })
  return await promise
}
