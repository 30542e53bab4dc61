//! What is typed while somebody watches.

use crossterm::event::{Event, EventStream, KeyCode, KeyEventKind, KeyModifiers};
use futures_util::StreamExt;

/// What follows from a key, or from the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Typed {
    Quit,
    /// The window has another size.
    Redraw,
}

pub(super) struct Keys(EventStream);

impl Keys {
    pub(super) fn listen() -> Self {
        Self(EventStream::new())
    }

    /// Waits for something that means something.
    pub(super) async fn next(&mut self) -> Typed {
        loop {
            match self.0.next().await {
                Some(Ok(event)) => {
                    if let Some(typed) = meaning(&event) {
                        return typed;
                    }
                }
                // The terminal is gone, so nobody watches.
                Some(Err(_)) | None => return Typed::Quit,
            }
        }
    }
}

fn meaning(event: &Event) -> Option<Typed> {
    let key = match event {
        Event::Resize(..) => return Some(Typed::Redraw),
        Event::Key(key) if key.kind != KeyEventKind::Release => key,
        _ => return None,
    };
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(Typed::Quit),
        KeyCode::Char('c' | 'd') if with_control => Some(Typed::Quit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyEvent;

    use super::*;

    #[test]
    fn q_and_control_c_quit_and_other_keys_do_nothing() {
        let typed = |code, modifiers| meaning(&Event::Key(KeyEvent::new(code, modifiers)));
        assert_eq!(typed(KeyCode::Char('q'), KeyModifiers::NONE), Some(Typed::Quit));
        assert_eq!(typed(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Typed::Quit));
        assert_eq!(typed(KeyCode::Char('c'), KeyModifiers::NONE), None);
        assert_eq!(typed(KeyCode::Enter, KeyModifiers::NONE), None);
        assert_eq!(meaning(&Event::Resize(80, 24)), Some(Typed::Redraw));
    }
}
