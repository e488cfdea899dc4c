import { Button, Group, Modal, Slider, Stack, Text } from '@mantine/core'
import { useId, useState } from 'react'
import { continueWatching } from '../../texts/en/continue.ts'
import { say } from '../../texts/say.ts'
import { targetsOf } from './actions.ts'
import { accountNames, clock, type Item, nameOf } from '../../parts/titles/positions.ts'

const texts = continueWatching.set

interface PositionDialogProps {
  /** null: the dialog is closed. */
  readonly items: readonly Item[] | null
  readonly onClose: () => void
  readonly onSet: (items: readonly Item[], percent: number) => void
}

export function PositionDialog({ items, onClose, onSet }: PositionDialogProps) {
  return (
    <Modal opened={items !== null} onClose={onClose} title={texts.title}>
      {items === null ? null : <Content items={items} onClose={onClose} onSet={onSet} />}
    </Modal>
  )
}

function Content({ items, onClose, onSet }: PositionDialogProps & { readonly items: readonly Item[] }) {
  const targets = targetsOf(items, 'update_progress')
  const min = Math.ceil(Math.max(...targets.map((one) => one.editable_progress_min_percent)))
  const max = Math.ceil(Math.min(...targets.map((one) => one.editable_progress_max_exclusive))) - 1
  const [first] = items
  const [percent, setPercent] = useState(() => clamp(Math.round(first?.progress_percent ?? 50), min, max))
  const labelId = useId()
  const duration = items.length === 1 ? (first?.duration_seconds ?? null) : null
  const textOf = (value: number) =>
    duration === null
      ? say(texts.value, { percent: value })
      : say(texts.valueAt, { percent: value, time: clock((duration * value) / 100), duration: clock(duration) })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSet(items, percent)
      }}
    >
      <Stack>
        {items.length === 1 && first !== undefined ? <Text fw={600}>{nameOf(first)}</Text> : null}
        <Text size="sm" c="dimmed">
          {say(texts.text, { n: items.length, services: accountNames(targets) })}
        </Text>
        <div>
          <Group justify="space-between">
            <Text id={labelId} size="sm" fw={600}>
              {texts.label}
            </Text>
            <Text size="sm" role="status">
              {textOf(percent)}
            </Text>
          </Group>
          <Slider
            mt="xs"
            min={min}
            max={max}
            step={1}
            value={percent}
            onChange={setPercent}
            label={null}
            thumbLabel={texts.label}
            thumbProps={{ 'aria-valuetext': textOf(percent) } as object}
            styles={{ thumb: { width: 24, height: 24 } }}
          />
        </div>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit">{texts.action}</Button>
        </Group>
      </Stack>
    </form>
  )
}

function clamp(value: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, value))
}
