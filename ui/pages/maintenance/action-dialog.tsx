// A maintenance action: preview, confirmation and result.
import { Modal } from '@mantine/core'
import { useState } from 'react'
import { useRead, useChange } from '../../api/query.ts'
import { useNames } from '../../parts/values/names.ts'
import type { Action } from './data.ts'
import { Options, type Chosen } from './options.tsx'
import { serviceText } from '../../texts/service-text.ts'
import { Steps } from './steps.tsx'

export function ActionDialog({ action, onClose }: { readonly action: Action; readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>({})
  const { data: pairs } = useRead(['pairs'], 'GET /api/pairs')
  const names = useNames()
  const run = useChange('POST /api/maintenance/actions/{action}', { refresh: [['maintenance'], ['attention']] })
  const look = useChange('POST /api/maintenance/actions/{action}')
  return (
    <Modal opened onClose={onClose} title={serviceText(action.title)} size="lg">
      <Steps
        key={JSON.stringify(chosen)}
        note={serviceText(action.note)}
        losesData={action.loses_data}
        backupFirst={action.backup_first}
        look={look}
        run={run}
        onLook={() => look.mutate({ params: { action: action.id }, body: { dry_run: true, options: chosen } })}
        onRun={() => run.mutate({ params: { action: action.id }, body: { confirm: true, options: chosen } })}
        onClose={onClose}
        options={
          action.options.length === 0 ? null : (
            <Options options={action.options} pairs={pairs ?? []} names={names} chosen={chosen} onChosen={setChosen} />
          )
        }
      />
    </Modal>
  )
}
