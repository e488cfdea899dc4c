import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { pairForm as texts, pairs as pairTexts } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { bodyOf, EMPTY } from './form/draft.ts'
import { PairForm } from './form/pair-form.tsx'

const BREADCRUMBS = [{ title: pairTexts.title, href: '/pairs' }]

export function NewPairPage() {
  const [, navigate] = useLocation()
  const [draft, setDraft] = useState(EMPTY)
  const client = useQueryClient()
  const change = useMutation<void, ApiError>({
    mutationFn: async () => {
      const made = await acrossPersons((confirmed) =>
        api('POST /api/pairs', { body: { ...bodyOf(draft), ...confirmed } }),
      )
      if (made === undefined) return
      await client.invalidateQueries({ queryKey: ['pairs'] })
      notifyDone([say(texts.created, { name: made.name }), ...made.warnings].join(' '))
      navigate(`/pairs/${made.id}`)
    },
  })
  return (
    <Page title={texts.newTitle} text={pairTexts.intro} breadcrumbs={BREADCRUMBS}>
      <PairForm
        draft={draft}
        onDraft={setDraft}
        submitText={texts.create}
        isBusy={change.isPending}
        error={change.error}
        onSubmit={() => change.mutate()}
      />
    </Page>
  )
}
