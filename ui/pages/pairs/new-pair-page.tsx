import { useState } from 'react'
import { useLocation } from 'wouter'
import { useChange } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Page } from '../../parts/page/page.tsx'
import { pairForm as texts, pairs as pairTexts } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { bodyOf, EMPTY } from './form/draft.ts'
import { PairForm } from './form/pair-form.tsx'

const BREADCRUMBS = [{ title: pairTexts.title, href: '/pairs' }]

export function NewPairPage() {
  const [, navigate] = useLocation()
  const [draft, setDraft] = useState(EMPTY)
  const change = useChange('POST /api/pairs', {
    refresh: [['pairs']],
    onDone: ({ id, name, warnings }) => {
      notifyDone([say(texts.created, { name }), ...warnings].join(' '))
      navigate(`/pairs/${id}`)
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
        onSubmit={() => change.mutate({ body: bodyOf(draft) })}
      />
    </Page>
  )
}
