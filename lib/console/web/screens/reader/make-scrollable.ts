/** Lets the keyboard scroll what is wider than its place. */
export function makeScrollable(element: HTMLElement, name: string): void {
  if (element.scrollWidth <= element.clientWidth) return;
  element.tabIndex = 0;
  element.setAttribute('role', 'group');
  element.setAttribute('aria-label', name);
}
