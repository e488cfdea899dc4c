// The ways to deal with problems: the action of one, ignoring, its undo, and trying again, for some or for all of a cause.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, request, type Answer, type Input } from '../../api/client.ts'
import { problems as texts } from '../../texts/en/problems.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { confirm } from '../dialogs/confirm.ts'
import { notifyUndo } from '../dialogs/notify-undo.tsx'
import { notifyDone, notifyFailure } from '../dialogs/notify.ts'

export type Board = Answer<'GET /api/problems'>
export type Problem = Board['items'][number]
export type ProblemCause = Board['causes'][number]
export type ProblemAction = Problem['actions'][number]
/** As in the query of `GET /api/problems`. */
export type ProblemFilter = Omit<NonNullable<Input<'GET /api/problems'>['query']>, 'offset' | 'limit'>
type ProblemSelection = Input<'POST /api/problems/ignore'>['body']

/** Everything that shows the number of the status. */
const TOUCHED = [['problems'], ['pairs'], ['attention'], ['overview'], ['runs'], ['library']]

export function useProblemActions() {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)

  async function act(work: () => Promise<void>): Promise<void> {
    setBusy(true)
    try {
      await work()
    } catch (error) {
      notifyFailure(error)
    } finally {
      await Promise.all(TOUCHED.map((queryKey) => client.invalidateQueries({ queryKey })))
      setBusy(false)
    }
  }

  const restore = (body: Input<'POST /api/problems/restore'>['body']) =>
    act(async () => {
      const { count } = await api('POST /api/problems/restore', { body })
      notifyDone(say(texts.done.restored, { n: count }))
    })

  return {
    isBusy,
    restore,
    ignore: (body: ProblemSelection) =>
      act(async () => {
        const { count, undo } = await api('POST /api/problems/ignore', { body })
        notifyUndo(say(texts.done.ignored, { n: count }), texts.done.undo, () => void restore({ undo }))
      }),
    retry: (body: ProblemSelection) =>
      act(async () => {
        await api('POST /api/problems/retry', { body })
        notifyDone(texts.done.retried)
      }),
    /** Asks first: an approval lets items be removed. */
    async call({ kind, call }: ProblemAction, { title, text }: Problem): Promise<void> {
      if (call === null) return
      const isApproval = kind === 'approve'
      const isSure = await confirm({
        title: isApproval ? texts.approve.title : serviceText(title),
        text: serviceText(text),
        action: texts.actions[kind],
        destructive: isApproval,
      })
      if (!isSure) return
      await act(async () => {
        await request(call.method, call.path, call.body === null ? {} : { body: call.body })
        notifyDone(kind === 'try_again' ? texts.done.retried : texts.done.started)
      })
    },
  }
}
