// Notifications: targets, rules and the delivery log.
import { Button, Stack } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { useOpened } from '../../parts/page/address-dialog.ts'
import { EmptyState } from '../../parts/page/empty-state.tsx'
import { Page } from '../../parts/page/page.tsx'
import { QueryView } from '../../parts/page/query-view.tsx'
import { notifications as texts } from '../../texts/en/notifications.ts'
import { shell } from '../../texts/en/shell.ts'
import { Log } from './log.tsx'
import { Rules } from './rules.tsx'
import { KEY, type Overview } from './state.ts'
import { AddTarget, ChooseTarget, type Draft, TargetDialog } from './target-form.tsx'
import { Targets } from './targets.tsx'

/** In the address: the person chooses the kind of channel in a dialog. */
const ADD = 'add'

export default function Notifications() {
  const query = useRead(KEY, 'GET /api/notifications')
  return (
    <Page title={shell.pages.notifications} text={texts.intro}>
      <QueryView query={query}>{(overview) => <Sections overview={overview} />}</QueryView>
    </Page>
  )
}

function Sections({ overview }: { readonly overview: Overview }) {
  const [edited, setEdited] = useState<Draft | null>(null)
  const [added, setAdded] = useOpened()
  const usable = overview.notifiers.filter(({ fixed }) => !fixed)
  const notifier = usable.find(({ id }) => id === added)
  const draft = edited ?? (notifier === undefined ? null : { notifier, target: null })
  const close = () => (edited === null ? setAdded(null) : setEdited(null))
  const isFresh = overview.targets.length + overview.rules.length === 0
  const add = <AddTarget notifiers={usable} onChoose={({ id }) => setAdded(id)} />
  return (
    <Stack gap="xl">
      {isFresh ? (
        <EmptyState
          icon={IconBell}
          title={texts.targets.none}
          text={usable.length === 0 ? texts.targets.noNotifiers : texts.targets.noneText}
          action={
            usable.length === 0 ? (
              <Button component={Link} href="/plugins">
                {texts.targets.toPlugins}
              </Button>
            ) : (
              add
            )
          }
        />
      ) : (
        <>
          <Targets overview={overview} add={usable.length === 0 ? null : add} onChange={setEdited} />
          <Rules overview={overview} />
        </>
      )}
      <Log targets={overview.targets} isHidden={isFresh} />
      {added === ADD && usable.length > 0 ? (
        <ChooseTarget notifiers={usable} onChoose={({ id }) => setAdded(id)} onClose={close} />
      ) : null}
      {draft === null ? null : <TargetDialog overview={overview} draft={draft} onClose={close} />}
    </Stack>
  )
}
