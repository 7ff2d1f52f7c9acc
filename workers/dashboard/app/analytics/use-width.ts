/** The width of the element that gets the ref, in pixels, as it changes; 0 before it is drawn. What is hidden keeps its width. */
import { type RefCallback, useCallback, useState } from "react";

export function useWidth(): readonly [ref: RefCallback<Element>, width: number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: Element) => {
    const observer = new ResizeObserver(([entry]) => {
      const measured = Math.round(entry?.contentRect.width ?? 0);
      setWidth((before) => (measured === 0 ? before : measured));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
