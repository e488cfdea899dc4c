// A list that users reorder by drag and drop, or with Alt and the arrow keys on the handle of an item.
import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { Accessibility, defaultPreset } from '@dnd-kit/dom'
import { DragDropProvider } from '@dnd-kit/react'
import { isSortable, useSortable } from '@dnd-kit/react/sortable'
import { IconGripVertical } from '@tabler/icons-react'
import { useState, type KeyboardEvent, type ReactNode } from 'react'
import { parts } from '../../texts/en/parts.ts'
import { say } from '../../texts/say.ts'

// The handles are buttons that describe their use, and this component announces moves.
const PLUGINS = defaultPreset.plugins.filter((plugin) => plugin !== Accessibility)

interface ReorderListProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly idOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  readonly onReorder: (items: readonly Item[]) => void
  /** The handle is part of the item. */
  readonly children: (item: Item, handle: ReactNode) => ReactNode
}

export function ReorderList<Item>({ label, items, idOf, nameOf, onReorder, children }: ReorderListProps<Item>) {
  const [said, setSaid] = useState('')

  function move(from: number, to: number) {
    const item = items[from]
    if (item === undefined || to < 0 || to >= items.length || from === to) return
    const next = items.toSpliced(from, 1).toSpliced(to, 0, item)
    setSaid(say(parts.list.moved, { name: nameOf(item), place: to + 1, total: items.length }))
    onReorder(next)
  }

  return (
    <DragDropProvider
      plugins={PLUGINS}
      onDragEnd={({ operation: { source }, canceled }) => {
        if (!canceled && isSortable(source)) move(source.initialIndex, source.index)
      }}
    >
      <ol aria-label={label} className="plain-list reorder-list">
        {items.map((item, index) => (
          <Entry
            key={idOf(item)}
            id={idOf(item)}
            index={index}
            name={say(parts.list.position, { name: nameOf(item), place: index + 1, total: items.length })}
            onMove={(by) => move(index, index + by)}
          >
            {(handle) => children(item, handle)}
          </Entry>
        ))}
      </ol>
      <VisuallyHidden role="status">{said}</VisuallyHidden>
    </DragDropProvider>
  )
}

const STEPS: Readonly<Record<string, number>> = { ArrowUp: -1, ArrowDown: 1 }

function Entry({
  id,
  index,
  name,
  onMove,
  children,
}: {
  readonly id: string
  readonly index: number
  readonly name: string
  readonly onMove: (by: number) => void
  readonly children: (handle: ReactNode) => ReactNode
}) {
  const { ref, handleRef } = useSortable({ id, index })
  function onKeyDown(event: KeyboardEvent) {
    const by = event.altKey ? STEPS[event.key] : undefined
    if (by === undefined) return
    event.preventDefault()
    event.stopPropagation()
    onMove(by)
  }
  return (
    <li ref={ref}>
      {children(
        <ActionIcon ref={handleRef} variant="subtle" color="gray" aria-label={name} onKeyDownCapture={onKeyDown}>
          <IconGripVertical size={18} />
        </ActionIcon>,
      )}
    </li>
  )
}
