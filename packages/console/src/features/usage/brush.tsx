/**
 * A chart of steps that is dragged over to zoom in, with a mouse, a pen or a finger. Escape cancels. A click stays a click.
 *
 * The steps are found by place: their labels on the axis are not unique, and the library's own marks are placed by label.
 */
import { useWindowEvent } from '@mantine/hooks'
import type { Usage } from '@toolway/contract/admin'
import { createContext, use, useMemo, useRef, useState, type PointerEvent, type ReactNode, type RefObject } from 'react'
import { usePlotArea } from 'recharts'
import { stepLabel } from '../../ui/times.ts'
import classes from './brush.module.css'

/** A shorter movement is a click. */
const LEAST_PX = 6

/** How steps lie on the axis: a band for each, or a point, of which the first and the last are at the edges. */
type Places = 'bands' | 'points'

interface Dragging {
  readonly usage: Usage
  readonly places: Places
  /** The first and the last step that are dragged over. */
  readonly drag: readonly [number, number] | undefined
  readonly plot: RefObject<SVGRectElement | null>
}
/** The selection follows the pointer in a context of its own, so that the chart is not rendered again. */
const Dragged = createContext<Dragging | undefined>(undefined)

export interface BrushProps extends Pick<Dragging, 'usage' | 'places'> {
  /** A description of the chart for screen readers. */
  readonly label: string
  readonly onZoom: (first: number, last: number) => void
  /** The chart, with a `Selection` in it. */
  readonly children: ReactNode
}

export function Brush({ usage, places, label, onZoom, children }: BrushProps) {
  const count = usage.steps.length
  const plot = useRef<SVGRectElement>(null)
  const start = useRef<number>(undefined)
  /** The browser sends a click at the end of a drag; it must not open anything. */
  const dragged = useRef(false)
  const [drag, setDrag] = useState<readonly [number, number]>()
  const isDragging = drag !== undefined
  const stop = () => {
    start.current = undefined
    setDrag(undefined)
  }
  useWindowEvent('keydown', ({ key }) => {
    if (key === 'Escape') stop()
  })
  const down = ({ button, isPrimary, clientX, clientY }: PointerEvent) => {
    dragged.current = false
    // Above it is the legend.
    if (button !== 0 || !isPrimary || count < 2 || clientY < (plot.current?.getBoundingClientRect().top ?? 0)) return
    start.current = clientX
  }
  const move = ({ currentTarget, pointerId, clientX, buttons }: PointerEvent) => {
    const box = plot.current?.getBoundingClientRect()
    if (start.current === undefined || box === undefined) return
    // The button was released outside the window.
    if (buttons === 0) return stop()
    if (!isDragging && Math.abs(clientX - start.current) < LEAST_PX) return
    if (!isDragging) {
      dragged.current = true
      // Not before: the click on a bar would be lost.
      currentTarget.setPointerCapture(pointerId)
    }
    const at = (x: number) => stepAt((x - box.left) / box.width, count, places)
    const [from, other] = [at(start.current), at(clientX)]
    setDrag([Math.min(from, other), Math.max(from, other)])
  }
  const up = () => {
    stop()
    if (drag !== undefined) onZoom(...drag)
  }
  const dragging = useMemo(() => ({ usage, places, drag, plot }), [usage, places, drag])
  return (
    <div
      role="img"
      aria-label={label}
      className={classes['brush']}
      data-zooms={count > 1}
      data-dragging={isDragging}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={stop}
      onClickCapture={(event) => {
        if (dragged.current) event.stopPropagation()
      }}
    >
      <Dragged value={dragging}>{children}</Dragged>
    </div>
  )
}

function stepAt(share: number, count: number, places: Places): number {
  const at = places === 'bands' ? Math.floor(share * count) : Math.round(share * (count - 1))
  return Math.min(count - 1, Math.max(0, at))
}

/** The start of a step, as a share of the axis. */
function edgeOf(step: number, count: number, places: Places): number {
  const share = places === 'bands' ? step / count : (step - 0.5) / (count - 1)
  return Math.min(1, Math.max(0, share))
}

const LINE_PX = 16
/** Half of the text, which stays within the chart. */
const HALF_TEXT_PX = 76

/** The selected part of the axis, drawn inside a Recharts chart. */
export function Selection() {
  const area = usePlotArea()
  const dragging = use(Dragged)
  if (area === undefined || dragging === undefined) return null
  const { drag, plot, usage, places } = dragging
  const { x, y, width, height } = area
  const place = (step: number) => x + edgeOf(step, usage.steps.length, places) * width
  const [left, right] = drag === undefined ? [x, x] : [place(drag[0]), place(drag[1] + 1)]
  const middle = Math.min(x + width - HALF_TEXT_PX, Math.max(x + HALF_TEXT_PX, (left + right) / 2))
  return (
    <g className={classes['selection']}>
      <rect ref={plot} {...{ x, y, width, height }} fill="none" />
      {drag === undefined ? null : (
        <>
          <rect className={classes['selected']} x={left} y={y} width={right - left} height={height} />
          <text className={classes['said']} x={middle} y={y + LINE_PX}>
            {spanText(usage, ...drag)}
          </text>
        </>
      )}
    </g>
  )
}

/** The start of the first hour and the end of the last one; for days, the first and the last day. */
function spanText({ steps, step, to }: Usage, first: number, last: number): string {
  const end = steps[step === 'hour' ? last + 1 : last]?.at ?? to
  return [...new Set([steps[first]?.at ?? to, end].map((at) => stepLabel(at, step)))].join(' – ')
}
