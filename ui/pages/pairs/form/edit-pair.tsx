// The settings of an existing pair.
import { Alert, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { api } from '../../../api/client.ts'
import { isApiError, type ApiError } from '../../../api/error.ts'
import { useRead } from '../../../api/query.ts'
import { confirm } from '../../../parts/dialogs/confirm.ts'
import { notifyDone, notifyFailure } from '../../../parts/dialogs/notify.ts'
import { ChangedElsewhere } from '../../../parts/page/changed-elsewhere.tsx'
import { useDraft } from '../../../parts/page/use-draft.ts'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { acrossPersons } from '../../../parts/persons/persons.ts'
import { pairForm as texts } from '../../../texts/en/pairs.ts'
import { say } from '../../../texts/say.ts'
import { useSidesText } from '../use-pair-actions.ts'
import { beginsAnew, bodyOf, draftOf, type Pair } from './draft.ts'
import { PairForm } from './pair-form.tsx'

export function EditPair({ id }: { readonly id: string }) {
  const query = useRead(['pairs'], 'GET /api/pairs')
  return (
    <QueryView query={query} rows={6}>
      {(list) => {
        const pair = list.find((one) => one.id === id)
        return pair === undefined ? null : <Editing key={id} pair={pair} />
      }}
    </QueryView>
  )
}

function Editing({ pair }: { readonly pair: Pair }) {
  const client = useQueryClient()
  const sidesText = useSidesText()
  const saved = useMemo(() => draftOf(pair), [pair])
  const [draft, setDraft, reload] = useDraft(saved)
  const [error, setError] = useState<ApiError | null>(null)
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const [isBusy, setBusy] = useState(false)

  async function save() {
    const { title, text, touches, action } = texts.restart
    if (
      beginsAnew(saved, draft) &&
      !(await confirm({ title, text, touches: [say(touches, { sides: sidesText(pair) })], action }))
    )
      return
    setBusy(true)
    setError(null)
    try {
      const answer = await acrossPersons((confirmed) =>
        api('PUT /api/pairs/{pair_id}', { params: { pair_id: pair.id }, body: { ...bodyOf(draft), ...confirmed } }),
      )
      if (answer === undefined) return
      setWarnings(answer.warnings)
      notifyDone(texts.saved)
      await client.invalidateQueries({ queryKey: ['pairs'] })
      const now = client.getQueryData<readonly Pair[]>(['pairs'])?.find(({ id }) => id === pair.id)
      if (now !== undefined) setDraft(draftOf(now))
    } catch (failure) {
      if (isApiError(failure)) setError(failure)
      else notifyFailure(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Stack>
      {warnings.length === 0 ? null : (
        <Alert color="orange" title={texts.warnings}>
          {warnings.join(' ')}
        </Alert>
      )}
      <ChangedElsewhere reload={reload} />
      <PairForm
        draft={draft}
        onDraft={setDraft}
        submitText={texts.save}
        isBusy={isBusy}
        error={error}
        onSubmit={() => void save()}
      />
    </Stack>
  )
}
