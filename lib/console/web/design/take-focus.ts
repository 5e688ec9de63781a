/**
 * A ref for what has the focus when its dialog opens, rather than the cross that closes it. It also takes the focus when
 * it arrives later.
 */
export function takeFocus(element: HTMLElement | null): void {
  if (element === null) return;
  element.setAttribute('autofocus', '');
  if (element.closest('dialog')?.open === true) element.focus();
}
