import { costText, countText, durationText } from 'thinkon/views'
import type { Measure } from './summary.ts'

export function figureText(measure: Measure, value: number): string {
  if (measure === 'costUsd') return costText(value)
  return measure === 'activeMs' ? durationText(value) : countText(Math.round(value))
}

export function qualityText(quality: number | null): string {
  return quality === null ? '–' : String(Math.round(quality * 100) / 100)
}
