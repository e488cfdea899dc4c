// Confirmation dialog: what happens and which items are affected. `confirm({ … })` resolves to the choice.
import { modals } from '@mantine/modals'
import { createElement } from 'react'
import { untilLoaded } from '../page/lazy-part.ts'
import { pageStyles } from '../page/page-styles.ts'
import type { ConfirmOptions } from './confirm-options.ts'

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
