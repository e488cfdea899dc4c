// Resets selected statistics.
import { Checkbox, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { useChange } from '../../api/query.ts'
import { maintenance } from '../../texts/en/maintenance.ts'
import { Steps } from './steps.tsx'

const { statistics: texts } = maintenance
type Part = keyof typeof texts.parts
const PARTS = Object.keys(texts.parts) as Part[]
const FIRST: readonly Part[] = ['purge_insights']

export function StatisticsDialog({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<readonly Part[]>(FIRST)
  const run = useChange('POST /api/maintenance/reset-stats', { refresh: [['maintenance'], ['statistics']] })
  const look = useChange('POST /api/maintenance/reset-stats')
  const body = Object.fromEntries(PARTS.map((part) => [part, chosen.includes(part)]))
  return (
    <Modal opened onClose={onClose} title={texts.dialogTitle} size="lg">
      <Steps
        key={chosen.join()}
        note={texts.text}
        losesData
        backupFirst={chosen.includes('purge_state')}
        look={look}
        run={run}
        onLook={() => look.mutate({ body: { ...body, dry_run: true } })}
        onRun={() => run.mutate({ body: { ...body, confirm: true } })}
        onClose={onClose}
        options={
          <Checkbox.Group
            aria-label={texts.dialogTitle}
            value={[...chosen]}
            onChange={(next) => setChosen(next.length === 0 ? FIRST : (next as Part[]))}
          >
            <Stack gap="xs">
              {PARTS.map((part) => (
                <Checkbox key={part} value={part} label={texts.parts[part]} />
              ))}
            </Stack>
          </Checkbox.Group>
        }
      />
    </Modal>
  )
}
